package io.rowlock.verification.node;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.verification.history.Event.Kind;
import io.rowlock.verification.history.Recorder;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A process that works with locks until its standard input ends. */
public final class Node {
    /** The time for which a dead holder keeps a key. */
    public static final Duration TTL = Duration.ofSeconds(3);

    /** The number of keys of each kind. */
    public static final int KEYS = 60;

    /** The time after which a statement or a command of a lock has failed. */
    public static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** The time for which a transaction waits for a connection of the application. */
    public static final Duration POOL_TIMEOUT = Duration.ofSeconds(2);

    static final Duration WAIT = Duration.ofSeconds(3);
    private static final long LOOK_MILLIS = 20;
    private static final long SAMPLE = Duration.ofSeconds(10).toNanos();
    private static final long PAUSE = Duration.ofMillis(100).toNanos();

    private static volatile boolean ended;

    private Node() {}

    /** A step of a thread. */
    interface Load extends AutoCloseable {
        void step(Random random) throws InterruptedException;

        /** A step of a thread that does not pause. */
        default void quickStep(Random random) throws InterruptedException {
            step(random);
        }

        /** @return pools of its locks alone */
        default List<HikariDataSource> lockPools() {
            return List.of();
        }

        /** @return pools of its transactions */
        default List<HikariDataSource> pools() {
            return List.of();
        }

        @Override
        void close();
    }

    /** @param texts {@link Arguments} */
    public static void main(String[] texts) throws Exception {
        Arguments arguments = Arguments.parse(texts);
        Recorder recorder = new Recorder(arguments.number(), arguments.histories());
        Load load = started(recorder, arguments);
        watch(recorder);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < arguments.threads() + arguments.quick(); i++) {
            Random random = new Random(arguments.seed() * 1_000 + arguments.number() * 100L + i);
            boolean quick = i >= arguments.threads();
            Thread thread = new Thread(() -> work(load, random, quick), "load-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        obey(new Borrower(load.lockPools()), new Borrower(load.pools()));
        ended = true;
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        for (Thread thread : threads) {
            thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
        }
        if (threads.stream().noneMatch(Thread::isAlive)) {
            load.close();
        }
        Runtime.getRuntime().halt(0);
    }

    /** Tries again while its servers are away. */
    private static Load started(Recorder recorder, Arguments arguments) throws InterruptedException {
        while (true) {
            try {
                return arguments.contender().equals("rowlock")
                        ? new RowlockLoad(recorder, arguments)
                        : new PeerLoad(recorder, arguments.contender(), arguments.database(), arguments.redis());
            } catch (RuntimeException e) {
                e.printStackTrace();
                Thread.sleep(LOOK_MILLIS);
            }
        }
    }

    private static void work(Load load, Random random, boolean quick) {
        try {
            while (!ended) {
                if (quick) {
                    load.quickStep(random);
                } else {
                    load.step(random);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(3); // else the history would be judged without this thread
        }
    }

    /** Each byte of the input says which pools are to be exhausted from then on. Returns at its end. */
    private static void obey(Borrower ofLocks, Borrower ofTransactions) throws IOException {
        for (int pools = System.in.read(); pools >= 0; pools = System.in.read()) {
            ofLocks.borrow((pools & 1) != 0);
            ofTransactions.borrow((pools & 2) != 0);
        }
        ofLocks.borrow(false);
        ofTransactions.borrow(false);
    }

    /** Notes for how long the process stood still, and what it needs. */
    private static void watch(Recorder recorder) {
        Thread watch = new Thread(
                () -> {
                    long last = Recorder.now();
                    long sampled = last;
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
                        if (now - sampled > SAMPLE) {
                            sample(recorder);
                            sampled = now;
                        }
                    }
                },
                "watch");
        watch.setDaemon(true);
        watch.start();
    }

    private static void sample(Recorder recorder) {
        System.gc();
        Runtime memory = Runtime.getRuntime();
        recorder.sample("heap-kb", (memory.totalMemory() - memory.freeMemory()) / 1_024);
        recorder.sample("threads", ManagementFactory.getThreadMXBean().getThreadCount());
        String[] files = new File("/proc/self/fd").list();
        recorder.sample("files", files == null ? 0 : files.length);
    }
}
