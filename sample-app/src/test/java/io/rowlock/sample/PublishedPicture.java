package io.rowlock.sample;

import static io.rowlock.sample.Page.find;
import static io.rowlock.sample.Page.script;
import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/**
 * The picture of the page in README of the sample: a lost lock, at twice the resolution of a screen. Beside it are the words that it shows.
 * {@code -Drowlock.test.picture=write} takes it anew; otherwise it has to show what the page shows: the same words, and the same colours
 * in the same places. Times, tokens and the number of the account are those of its run.
 */
final class PublishedPicture {
    private static final int WIDTH = 1280;
    private static final int HEIGHT = 800;
    private static final Path PICTURE = Path.of("../docs/images/sample.png");
    private static final Path WORDS = Path.of("../docs/images/sample.txt");

    /** Cells of a picture that is compared, across and down. */
    private static final int CELLS = 32;

    /**
     * How much of 255 they may differ on average. Two runs on one machine differ by 0.3, another colour of the buttons by 2.8, a part that is
     * missing by 4.5. A machine with other fonts needs a picture of its own.
     */
    private static final double TOLERANCE = 2;

    private PublishedPicture() {}

    static void showsThePage() throws IOException {
        try (Look desk = Look.at(WIDTH, HEIGHT, "light")) {
            script("document.querySelector('#pause-section').scrollIntoView({ block: 'start', behavior: 'instant' })");
            byte[] taken = desk.picture();
            String words = words("#pause-section") + words("#see .key");
            Files.write(Page.PICTURES.resolve("sample.png"), taken);
            if ("write".equals(System.getProperty("rowlock.test.picture"))) {
                Files.write(PICTURE, taken);
                Files.writeString(WORDS, words);
            }
            assertThat(WORDS).hasContent(words);
            BufferedImage published = ImageIO.read(PICTURE.toFile());
            assertThat(published.getWidth()).isEqualTo(WIDTH * Browser.SCALE);
            assertThat(published.getHeight()).isEqualTo(HEIGHT * Browser.SCALE);
            assertThat(difference(published, ImageIO.read(new ByteArrayInputStream(taken))))
                    .as("difference of the picture from the page")
                    .isLessThan(TOLERANCE);
        }
    }

    private static String words(String css) {
        return find(css).getText().replaceAll("\\d+", "0") + "\n";
    }

    private static double difference(BufferedImage one, BufferedImage other) {
        int[] these = cells(one);
        int[] those = cells(other);
        long sum = 0;
        for (int i = 0; i < these.length; i++) {
            for (int shift = 0; shift <= 16; shift += 8) {
                sum += Math.abs((these[i] >> shift & 255) - (those[i] >> shift & 255));
            }
        }
        return sum / (3.0 * these.length);
    }

    private static int[] cells(BufferedImage picture) {
        BufferedImage small = new BufferedImage(CELLS, CELLS, BufferedImage.TYPE_INT_RGB);
        Graphics2D canvas = small.createGraphics();
        canvas.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
        canvas.drawImage(picture.getScaledInstance(CELLS, CELLS, java.awt.Image.SCALE_AREA_AVERAGING), 0, 0, null);
        canvas.dispose();
        return small.getRGB(0, 0, CELLS, CELLS, null, 0, CELLS);
    }
}
