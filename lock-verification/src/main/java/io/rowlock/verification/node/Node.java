package io.rowlock.verification.node;

import io.rowlock.verification.history.Event.Kind;
import io.rowlock.verification.history.Recorder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A process that works with locks until its standard input ends. */
public final class Node {
    /** The time for which a dead holder keeps a key. */
    public static final Duration TTL = Duration.ofSeconds(3);

    static final Duration WAIT = Duration.ofSeconds(3);
    private static final int THREADS = 6;
    private static final long LOOK_MILLIS = 20;
    private static final long PAUSE = Duration.ofMillis(100).toNanos();

    private static volatile boolean ended;

    private Node() {}

    /** A step of a thread. */
    interface Load extends AutoCloseable {
        void step(Random random) throws InterruptedException;

        @Override
        void close();
    }

    /**
     * @param arguments the contender, the number of this process, the seed, where to write the history, the URLs of the database and of
     *     Redis
     */
    public static void main(String[] arguments) throws Exception {
        int number = Integer.parseInt(arguments[1]);
        long seed = Long.parseLong(arguments[2]);
        Recorder recorder = new Recorder(number, Path.of(arguments[3]));
        watch(recorder);
        Load load = started(recorder, number, arguments);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(seed * 1_000 + number * 100L + i);
            Thread thread = new Thread(() -> work(load, random), "load-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        awaitEndOfInput();
        ended = true;
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        for (Thread thread : threads) {
            thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
        }
        Runtime.getRuntime().halt(0);
    }

    /** Tries again while its servers are away. */
    private static Load started(Recorder recorder, int number, String[] arguments) throws InterruptedException {
        while (true) {
            try {
                return arguments[0].equals("rowlock")
                        ? RowlockLoad.start(recorder, number, arguments[4], arguments[5])
                        : new PeerLoad(recorder, arguments[0], arguments[4], arguments[5]);
            } catch (RuntimeException e) {
                e.printStackTrace();
                Thread.sleep(LOOK_MILLIS);
            }
        }
    }

    private static void work(Load load, Random random) {
        try {
            while (!ended) {
                load.step(random);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(3); // else the history would be judged without this thread
        }
    }

    private static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            // nothing is said
        }
    }

    /** Notes for how long the process stood still. */
    private static void watch(Recorder recorder) {
        Thread watch = new Thread(
                () -> {
                    long last = Recorder.now();
                    while (true) {
                        try {
                            Thread.sleep(LOOK_MILLIS);
                        } catch (InterruptedException e) {
                            return;
                        }
                        long now = Recorder.now();
                        if (now - last > PAUSE) {
                            recorder.add(0, Kind.PAUSED, "", "", now - last);
                        }
                        last = now;
                    }
                },
                "watch");
        watch.setDaemon(true);
        watch.start();
    }
}
