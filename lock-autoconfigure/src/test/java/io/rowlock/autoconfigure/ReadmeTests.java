package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the README says of versions, against the build; its snippets are compiled and run by {@code .ci/new-application}. */
class ReadmeTests {
    private static final Path ROOT = Path.of("..");
    private static final Pattern BLOCK = Pattern.compile("```(\\w+)\n(.*?)```", Pattern.DOTALL);

    private final String pom = text("pom.xml");
    private final String readme = text("README.md");

    @Test
    void versionIsThatOfTheBuild() {
        String version = found("<artifactId>rowlock-parent</artifactId>\\s*<version>(.*?)</version>");
        List<String> named = Pattern.compile("rowlock-spring-boot-starter(?::|</artifactId>\\s*<version>)([\\w.-]+)")
                .matcher(readme)
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(named).hasSize(3).containsOnly(version);
        assertThat(text("docs/images/badges.svg").contains("none yet")).isEqualTo(version.endsWith("-SNAPSHOT"));
    }

    @Test
    void badgesAreTrue() {
        String badges = text("docs/images/badges.svg");
        assertThat(badges)
                .contains("Java " + found("<java.version>(.*?)<") + "+")
                .contains("Spring Boot " + found("<spring-boot.version>(\\d+\\.\\d+)"));
        assertThat(badges.contains("Apache 2.0")).isEqualTo(text("LICENSE").contains("Version 2.0"));
        assertThat(readme).contains("MySQL 8.0 or newer or MariaDB 10.6 or newer");
        assertThat(badges).contains("MySQL 8.0+", "MariaDB 10.6+");
    }

    @Test
    void bothLanguagesShowTheSameCode() {
        assertThat(blocks(text("README.zh-CN.md"))).isEqualTo(blocks(readme));
    }

    @Test
    void isShortEnoughToRead() {
        assertThat(readme.lines()).hasSizeLessThanOrEqualTo(200);
    }

    private static List<String> blocks(String document) {
        return BLOCK.matcher(document).results().map(MatchResult::group).toList();
    }

    private String found(String expression) {
        Matcher matcher = Pattern.compile(expression).matcher(pom);
        assertThat(matcher.find()).as(expression).isTrue();
        return matcher.group(1);
    }

    private static String text(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
