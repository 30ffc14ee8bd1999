package io.rowlock.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps what a run of faults or stress has counted in {@code target/harness.txt} of its module, where {@code .ci/run} finds it. */
public final class RunReport {
    private static final Path FILE = Path.of("target", "harness.txt");

    private RunReport() {}

    /**
     * Adds to the report.
     *
     * @param text of one run, whose first line says what it was
     */
    public static synchronized void add(String text) {
        try {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, text + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
