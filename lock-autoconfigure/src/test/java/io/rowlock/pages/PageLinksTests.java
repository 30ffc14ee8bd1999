package io.rowlock.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every link leads somewhere: between pages, to files of the repository, and from messages to pages. */
class PageLinksTests {
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern IN_CODE =
            Pattern.compile("(?:https://github.com/rowlock/rowlock/blob/main/)?(docs/[\\w./-]+\\.md)(#[\\w-]+)?");
    private static final String ADDRESS = "https://github.com/rowlock/rowlock/blob/main/";

    private final Map<Path, Page> pages =
            Page.all().stream().collect(Collectors.toMap(Page::file, Function.identity()));

    @Test
    void everyLinkLeadsToAPageAnAnchorOrAFile() {
        TreeSet<String> broken = new TreeSet<>();
        for (Page page : pages.values()) {
            Matcher links = LINK.matcher(page.prose().replaceAll("`[^`]*`", ""));
            while (links.find()) {
                String link = links.group(1);
                if (!link.matches("(https?|mailto):.*") && !leadsSomewhere(page, link)) {
                    broken.add(page + " links to " + link);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private boolean leadsSomewhere(Page from, String link) {
        String[] parts = link.split("#", 2);
        Path folder =
                from.file().getParent() == null ? Path.of("") : from.file().getParent();
        Path target =
                parts[0].isEmpty() ? from.file() : folder.resolve(parts[0]).normalize();
        if (parts.length == 1 || !target.toString().endsWith(".md")) {
            return Files.exists(Page.ROOT.resolve(target));
        }
        Page page = pages.get(target);
        return page != null && page.anchors().contains(URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }

    /** A user of the jar has no file, so a message has the whole address. */
    @Test
    void everyPageThatAMessageNamesExists() throws IOException {
        TreeSet<String> broken = new TreeSet<>();
        int found = 0;
        for (Path source : sources()) {
            String code = Files.readString(source).replaceAll("\"\\s*\\+\\s*\"", "");
            Matcher named = IN_CODE.matcher(code);
            while (named.find()) {
                found++;
                Page page = pages.get(Path.of(named.group(1)));
                boolean anchored = named.group(2) == null
                        || (page != null
                                && page.anchors().contains(named.group(2).substring(1)));
                if (!named.group().startsWith(ADDRESS) || page == null || !anchored) {
                    broken.add(Page.ROOT.relativize(source) + " names " + named.group());
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(found).isPositive();
    }

    @Test
    void everyMessageOfTheRunbookIsOneOfTheCode() throws IOException {
        StringBuilder code = new StringBuilder();
        for (Path source : sources()) {
            code.append(Files.readString(source).replaceAll("\"\\s*\\+\\s*\"", ""));
        }
        for (String page : List.of("docs/runbook.md", "docs/runbook.zh-CN.md")) {
            List<String> messages = Pattern.compile("(?m)^\\| ([a-z][a-z' -]+[a-z](?:, [a-z ]+)*)…? \\|")
                    .matcher(Page.of(page).text())
                    .results()
                    .map(found -> found.group(1))
                    .filter(message -> message.split(" ", -1).length > 3)
                    .filter(message -> !message.startsWith("stop that pod") && !message.startsWith("the SQL"))
                    .toList();
            assertThat(messages).as(page).hasSizeGreaterThan(10);
            assertThat(messages).allSatisfy(message -> assertThat(code).contains(message));
        }
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.list(Page.ROOT)) {
            return files.map(module -> module.resolve("src/main/java/io/rowlock"))
                    .filter(Files::isDirectory)
                    .filter(folder -> !folder.startsWith(Page.ROOT.resolve("lock-benchmark")))
                    .flatMap(PageLinksTests::javaFiles)
                    .toList();
        }
    }

    private static Stream<Path> javaFiles(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException ex) {
            throw new java.io.UncheckedIOException(ex);
        }
    }

    @Test
    void everyPageSaysWhatItAnswersAndWhereToGoNext() {
        for (Page page : Page.forUsers()) {
            if (page.file().startsWith("docs")) {
                assertThat(page.text().lines().skip(2).findFirst().orElse(""))
                        .as(page + " opens with what it answers")
                        .startsWith("This page ");
                String[] paragraphs = page.text().stripTrailing().split("\n\n", -1);
                assertThat(paragraphs[paragraphs.length - 1])
                        .as(page + " ends with where to go")
                        .startsWith("**Next:**");
            }
        }
    }

    @Test
    void everyPageIsInTheIndex() {
        String index = Page.of("docs/index.md").text();
        assertThat(pages.values())
                .filteredOn(page -> Path.of("docs").equals(page.file().getParent()))
                .filteredOn(page -> !page.name().equals("index.md"))
                .allSatisfy(page -> assertThat(index).contains("(" + page.name()));
    }
}
