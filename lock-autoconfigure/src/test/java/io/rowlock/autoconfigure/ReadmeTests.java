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
        assertThat(named).hasSize(1).containsOnly(version);
        assertThat(readme.contains("Not released yet")).isEqualTo(version.endsWith("-SNAPSHOT"));
    }

    @Test
    void requirementsAreTrue() {
        assertThat(readme)
                .contains("Java " + found("<java.version>(.*?)<") + " or newer")
                .containsPattern(
                        "Spring Boot (4\\.0 or )?" + Pattern.quote(found("<spring-boot.version>(\\d+\\.\\d+)")));
        assertThat(readme.contains("Apache License 2.0"))
                .isEqualTo(text("LICENSE").contains("Version 2.0"));
    }

    @Test
    void testedServersAreThoseOfTheCompatibilityPage() {
        String servers = text("docs/compatibility.md");
        assertThat(readme).contains("Tested with MySQL 8.0.33 and 9.7 and MariaDB 10.11, 11.4 and 11.8");
        assertThat(List.of("MySQL 8.0.33", "MySQL 9.7", "MariaDB 10.11", "MariaDB 11.4", "MariaDB 11.8"))
                .allSatisfy(server -> assertThat(servers.lines())
                        .anyMatch(line -> line.startsWith("| " + server) && line.contains("| works")));
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
