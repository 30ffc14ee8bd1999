package io.rowlock.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pictures are what the tools of the repository draw, and each is on a page. That of the sample's page is compared by its browser test. */
class PagePicturesTests {
    private static final Path IMAGES = Page.ROOT.resolve("docs/images");

    @Test
    void diagramsAreWhatTheirProgramDraws(@TempDir Path drawn) throws Exception {
        Process drawing = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        IMAGES.resolve("Draw.java").toString(),
                        drawn.toString())
                .inheritIO()
                .start();
        assertThat(drawing.waitFor()).isZero();
        assertThat(files(drawn)).isEqualTo(files(IMAGES, ".svg")).hasSizeGreaterThan(4);
        for (String diagram : files(drawn)) {
            assertThat(IMAGES.resolve(diagram)).hasSameTextualContentAs(drawn.resolve(diagram));
        }
    }

    @Test
    void everyPictureIsOnAPage() throws IOException {
        List<Page> pages = Page.all();
        assertThat(files(IMAGES, ".svg", ".png"))
                .allSatisfy(picture -> assertThat(pages)
                        .as(picture)
                        .anyMatch(page -> page.text().contains("images/" + picture + ")")));
    }

    private static Set<String> files(Path folder, String... endings) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> endings.length == 0 || Stream.of(endings).anyMatch(name::endsWith))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
