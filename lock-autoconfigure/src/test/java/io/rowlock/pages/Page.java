package io.rowlock.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of the documentation.
 *
 * @param file its file, below the root of the repository
 * @param text its Markdown
 */
record Page(Path file, String text) {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern BLOCK = Pattern.compile("(?ms)^( *)```(\\w*)\n(.*?)^ *```$");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    /**
     * A fenced block.
     *
     * @param line the line it begins in
     */
    record Block(Page page, int line, String language, String text) {
        @Override
        public String toString() {
            return page + ":" + line;
        }
    }

    /** Returns every page, also translations and internals. */
    static List<Page> all() {
        List<Page> pages = new ArrayList<>(in(ROOT, 1));
        pages.addAll(in(ROOT.resolve("docs"), 9));
        for (String module :
                List.of("lock-aspects", "lock-benchmark", "lock-shedlock", "lock-spring-integration", "sample-app")) {
            pages.addAll(in(ROOT.resolve(module), 1));
        }
        return pages;
    }

    /** Returns the pages that users read, in English. */
    static List<Page> forUsers() {
        return all().stream()
                .filter(page -> !page.isTranslation())
                .filter(page ->
                        page.file().equals(Path.of("README.md")) || page.file().startsWith("docs"))
                .filter(page -> !page.file().startsWith("docs/internals"))
                .toList();
    }

    static Page of(String file) {
        return read(ROOT.resolve(file));
    }

    private static List<Page> in(Path folder, int depth) {
        try (Stream<Path> files = Files.walk(folder, depth)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .map(Page::read)
                    .toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static Page read(Path file) {
        try {
            return new Page(ROOT.relativize(file), Files.readString(file));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    String name() {
        return file.getFileName().toString();
    }

    boolean isTranslation() {
        return name().endsWith(".zh-CN.md");
    }

    List<Block> blocks() {
        return BLOCK.matcher(text)
                .results()
                .map(found -> new Block(
                        this,
                        (int) text.substring(0, found.start()).lines().count() + 1,
                        found.group(2),
                        found.group(3).replaceAll("(?m)^" + found.group(1), "")))
                .toList();
    }

    List<Block> blocks(String language) {
        return blocks().stream()
                .filter(block -> block.language().equals(language))
                .toList();
    }

    /** Returns the text without its fenced blocks. */
    String prose() {
        return BLOCK.matcher(text).replaceAll("");
    }

    List<String> headings() {
        return HEADING.matcher(prose()).results().map(found -> found.group(1)).toList();
    }

    /** Returns the anchors of its headings, as GitHub makes them. */
    List<String> anchors() {
        return headings().stream()
                .map(heading -> heading.toLowerCase(Locale.ROOT)
                        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    /** Returns the table below a comment. */
    List<List<String>> table(String comment) {
        Matcher table = Pattern.compile(
                        Pattern.quote("<!-- " + comment) + "[^\n]*-->\n((?:\\|[^\n]*\n)+)", Pattern.DOTALL)
                .matcher(text);
        if (!table.find()) {
            throw new AssertionError(this + " has no table below <!-- " + comment);
        }
        return table.group(1).lines().skip(2).map(Page::cells).toList();
    }

    static List<String> cells(String row) {
        String inside = row.strip().replaceAll("^\\||\\|$", "").replace("\\|", "\u0000");
        return Stream.of(inside.split("\\|", -1))
                .map(cell -> cell.strip().replace("\u0000", "|"))
                .toList();
    }

    /** Returns the parts in code, as in {@code | `key`, `name` |}. */
    static List<String> names(String cell) {
        return Pattern.compile("`([^`]+)`")
                .matcher(cell)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
