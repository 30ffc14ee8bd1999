package io.rowlock.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** The page at a size and in a theme, until it is closed. */
final class Look implements AutoCloseable {
    private static final int PHONE = 480;

    private final int width;
    private final String theme;

    private Look(int width, String theme) {
        this.width = width;
        this.theme = theme;
    }

    /** @param theme light or dark */
    static Look at(int width, int height, String theme) {
        Page.browser()
                .executeCdpCommand(
                        "Emulation.setDeviceMetricsOverride",
                        Map.of(
                                "width",
                                width,
                                "height",
                                height,
                                "deviceScaleFactor",
                                Browser.SCALE,
                                "mobile",
                                width < PHONE));
        prefer(List.of(Map.of("name", "prefers-color-scheme", "value", theme)));
        return new Look(width, theme);
    }

    /** As it is for people who asked their system for less motion. */
    void calm() {
        prefer(List.of(
                Map.of("name", "prefers-color-scheme", "value", theme),
                Map.of("name", "prefers-reduced-motion", "value", "reduce")));
    }

    /** Keeps a picture of what is in sight. */
    void keep() throws IOException {
        Files.write(Page.PICTURES.resolve("page-%d-%s.png".formatted(width, theme)), picture());
    }

    byte[] picture() {
        Map<String, Object> picture = Page.browser().executeCdpCommand("Page.captureScreenshot", Map.of());
        return Base64.getDecoder().decode((String) picture.get("data"));
    }

    @Override
    public String toString() {
        return "%d px, %s".formatted(width, theme);
    }

    @Override
    public void close() {
        Page.browser().executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
        prefer(List.of());
    }

    private static void prefer(List<Map<String, String>> features) {
        Page.browser().executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", features));
    }
}
