package io.rowlock.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pages for users are easy to read: short sentences, short cells. {@code .ci/words} counts all words. */
class PageWordsTests {
    private static final int LONGEST_SENTENCE = 25;
    private static final int LONGEST_CELL = 20;
    private static final Pattern LINK = Pattern.compile("!?\\[([^]]*)]\\([^)]*\\)");

    @Test
    void noSentenceIsTooLong() {
        List<String> tooLong = new ArrayList<>();
        for (Page page : pages()) {
            paragraphs(page).flatMap(PageWordsTests::sentences).forEach(sentence -> {
                if (words(sentence) > LONGEST_SENTENCE) {
                    tooLong.add("%s: %d words: %s".formatted(page, words(sentence), sentence));
                }
            });
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void noCellIsTooLong() {
        List<String> tooLong = new ArrayList<>();
        for (Page page : pages()) {
            page.prose()
                    .lines()
                    .filter(line -> line.startsWith("|"))
                    .flatMap(line -> Page.cells(line).stream())
                    .map(PageWordsTests::plain)
                    .filter(cell -> words(cell) > LONGEST_CELL)
                    .forEach(cell -> tooLong.add(page + ": " + cell));
        }
        assertThat(tooLong).isEmpty();
    }

    /** Returns the pages in English but that of the benchmark, whose cells are facts of its run. */
    private static List<Page> pages() {
        return Page.all().stream()
                .filter(page -> !page.isTranslation())
                .filter(page -> !page.file().equals(Path.of("docs/internals/benchmark.md")))
                .toList();
    }

    /** Returns the paragraphs and the items of lists, each in one line. */
    private static Stream<String> paragraphs(Page page) {
        String text = page.prose()
                .replaceAll("(?m)^(\\||#|<!--|>).*$", "\n")
                .replaceAll("(?m)^ *(- |\\d+\\. )", "\n\n")
                .replaceAll("\n(?!\n)", " ")
                .replace("\n ", "\n");
        return text.lines().map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("**Next:**"));
    }

    private static Stream<String> sentences(String paragraph) {
        return Stream.of(plain(paragraph.replace(" ·", ";")).split("(?<=[.:!?;])\\s+", -1));
    }

    private static String plain(String text) {
        return LINK.matcher(text.replaceAll("<!--.*?-->", ""))
                .replaceAll("$1")
                .replaceAll("`[^`]*`", "code")
                .replaceAll("[*_|·]", "");
    }

    private static int words(String text) {
        return (int) Stream.of(text.strip().split("\\s+", -1))
                .filter(word -> word.matches(".*[\\p{L}\\p{N}].*"))
                .count();
    }
}
