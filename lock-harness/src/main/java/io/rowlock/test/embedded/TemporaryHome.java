package io.rowlock.test.embedded;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A directory of this JVM alone, deleted when it ends. A JVM that was killed leaves its directory and its server behind;
 * the next one sweeps them away.
 */
public final class TemporaryHome {

    private static final String PREFIX = "rowlock-mariadb-";
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Path root;
    private final Deque<Runnable> closers = new ArrayDeque<>(); // guarded by this

    private TemporaryHome(Path root) {
        this.root = root;
    }

    public static TemporaryHome create() throws IOException {
        Abandoned.sweep(Path.of(System.getProperty("java.io.tmpdir")), PREFIX);
        TemporaryHome home = new TemporaryHome(
                Files.createTempDirectory(PREFIX + ProcessHandle.current().pid() + "-"));
        AtExit.run(home::close);
        return home;
    }

    public Path root() {
        return root;
    }

    public File directory(String name) {
        try {
            return Files.createDirectories(root.resolve(name)).toFile();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has something done at the JVM's end, before the directory is deleted. */
    public synchronized void closeAtExit(Runnable closer) {
        closers.push(closer);
    }

    /** Ends what runs there by force if it takes long to end: Surefire kills a JVM that does not end within 30 s. */
    private void close() {
        Thread stop = new Thread(this::runClosers, PREFIX + "closers");
        stop.setDaemon(true);
        stop.start();
        try {
            stop.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Abandoned.remove(root);
    }

    private synchronized void runClosers() {
        closers.forEach(Runnable::run);
    }
}
