package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.server.StatementCounter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * What threads got done in a round.
 *
 * @param pairs how many, for each thread
 * @param began when counting began, by nanoTime
 * @param ended when it ended
 * @param statements how many statements the server got meanwhile
 */
record Load(List<Long> pairs, long began, long ended, long statements) {
    /** For a pool to fill, rows to appear and statements to be prepared. */
    private static final Duration RUN_IN = Duration.ofMillis(300);

    private static final Duration HANGS = Duration.ofSeconds(90);

    /** One thread's work, over and over. */
    interface Loop extends AutoCloseable {
        void once() throws Exception;

        @Override
        void close() throws Exception;
    }

    /** Makes the work of one thread, on that thread. */
    @FunctionalInterface
    interface Loops {
        Loop of(int thread) throws Exception;
    }

    private enum Phase {
        RUN_IN,
        COUNTING,
        OVER
    }

    static Load measure(int threads, Duration time, StatementCounter counter, Loops loops) throws Exception {
        Threads running = new Threads(threads, loops);
        try {
            return running.measure(time, counter);
        } finally {
            running.stop();
        }
    }

    private double total() {
        return pairs.stream().mapToDouble(Long::doubleValue).sum();
    }

    double pairsPerSecond() {
        return total() / ((ended - began) / 1e9);
    }

    double statementsPerPair() {
        return statements / total();
    }

    private static final class Threads {
        private final ExecutorService executor;
        private final List<Future<Long>> counts = new ArrayList<>();
        private final CountDownLatch ready;
        private volatile Phase phase = Phase.RUN_IN;

        Threads(int threads, Loops loops) {
            executor = Executors.newFixedThreadPool(threads);
            ready = new CountDownLatch(threads);
            for (int i = 0; i < threads; i++) {
                int thread = i;
                counts.add(executor.submit(() -> work(loops, thread)));
            }
        }

        private long work(Loops loops, int thread) throws Exception {
            try (Loop loop = loops.of(thread)) {
                ready.countDown();
                long count = 0;
                while (phase != Phase.OVER) {
                    loop.once();
                    if (phase == Phase.COUNTING) {
                        count++;
                    }
                }
                return count;
            } finally {
                ready.countDown();
            }
        }

        Load measure(Duration time, StatementCounter counter) throws Exception {
            if (!ready.await(HANGS.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("The threads did not get ready");
            }
            TimeUnit.NANOSECONDS.sleep(RUN_IN.toNanos());
            long before = counter.read();
            long began = System.nanoTime();
            phase = Phase.COUNTING;
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
            phase = Phase.OVER;
            long ended = System.nanoTime();
            long statements = counter.read() - before;
            return new Load(counts(), began, ended, statements);
        }

        private List<Long> counts() throws Exception {
            List<Long> all = new ArrayList<>();
            for (Future<Long> count : counts) {
                try {
                    all.add(count.get(HANGS.toSeconds(), TimeUnit.SECONDS));
                } catch (ExecutionException e) {
                    throw new IllegalStateException("A thread failed: " + e.getCause(), e.getCause());
                }
            }
            return all;
        }

        void stop() {
            phase = Phase.OVER;
            executor.shutdownNow();
        }
    }
}
