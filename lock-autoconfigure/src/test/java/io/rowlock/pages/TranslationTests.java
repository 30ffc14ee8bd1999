package io.rowlock.pages;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.pages.Page.Block;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A page in Chinese has the headings, blocks, numbers and links of the page in English. */
class TranslationTests {
    /** An article that there is in Chinese alone. */
    private static final Set<String> ALONE = Set.of("from-setnx-to-redis.zh-CN.md");

    private static final Pattern LEVEL = Pattern.compile("(?m)^#+(?= )");
    private static final Pattern NUMBER = Pattern.compile("\\d+(?:[.,:]\\d+)*");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]*)(#[^)\\s]*)?\\)");

    static Stream<Page> translations() {
        return Page.all().stream().filter(page -> page.isTranslation() && !ALONE.contains(page.name()));
    }

    private static Page original(Page translation) {
        return Page.of(translation.file().toString().replace(".zh-CN.md", ".md"));
    }

    @ParameterizedTest
    @MethodSource("translations")
    void hasTheHeadingsInTheirOrder(Page translation) {
        assertThat(found(LEVEL, translation.prose()))
                .isEqualTo(found(LEVEL, original(translation).prose()));
    }

    @ParameterizedTest
    @MethodSource("translations")
    void hasTheBlocks(Page translation) {
        assertThat(translation.blocks().stream().map(Block::text))
                .containsExactlyElementsOf(
                        original(translation).blocks().stream().map(Block::text).toList());
    }

    @ParameterizedTest
    @MethodSource("translations")
    void hasTheNumbers(Page translation) {
        assertThat(numbers(translation)).isEqualTo(numbers(original(translation)));
    }

    @ParameterizedTest
    @MethodSource("translations")
    void hasTheLinks(Page translation) {
        assertThat(links(translation)).isEqualTo(links(original(translation)));
    }

    private static List<String> numbers(Page page) {
        String text = LINK.matcher(page.prose()).replaceAll("]");
        return found(NUMBER, text.replaceAll("`[^`]*`", "").replaceAll("<!--.*?-->", "")).stream()
                .sorted()
                .toList();
    }

    private static List<String> links(Page page) {
        return LINK.matcher(page.prose())
                .results()
                .map(link -> link.group(1).replace(".zh-CN.md", ".md"))
                .filter(link -> !link.equals("README.md"))
                .sorted()
                .toList();
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(MatchResult::group).toList();
    }
}
