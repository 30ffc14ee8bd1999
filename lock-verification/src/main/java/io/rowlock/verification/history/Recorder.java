package io.rowlock.verification.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.verification.history.Event.Kind;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** Writes the history of one process. What it has written outlives the process, however that ends. Thread-safe. */
public final class Recorder {
    private final int node;
    private final AtomicLong operations = new AtomicLong();
    private final FileOutputStream file;

    /**
     * @param node a number that no process had before
     * @param directory where the histories of all processes are
     */
    public Recorder(int node, Path directory) throws IOException {
        this.node = node;
        this.file =
                new FileOutputStream(directory.resolve("node-" + node + ".txt").toFile(), true);
    }

    /** @return the time of the clock that all processes of the machine share */
    public static long now() {
        return System.nanoTime();
    }

    /** @return the number of a call that begins now */
    public long asked(String key, String mode, long wait) {
        long operation = ((long) node << 40) + operations.incrementAndGet();
        add(now(), operation, Kind.ASKED, key, mode, wait);
        return operation;
    }

    public void add(long operation, Kind kind, String key, String text, long number) {
        add(now(), operation, kind, key, text, number);
    }

    public void sample(String what, long value) {
        add(now(), 0, Kind.SAMPLE, what, "", value);
    }

    public void add(long operation, Kind kind, String key) {
        add(now(), operation, kind, key, "", -1);
    }

    public void add(long at, long operation, Kind kind, String key, String text, long number) {
        add(new Event(at, node, operation, kind, key, text, number));
    }

    /** @param event of this process, or what another one cannot know */
    public void add(Event event) {
        byte[] line = event.line().getBytes(UTF_8);
        try {
            synchronized (file) {
                file.write(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
