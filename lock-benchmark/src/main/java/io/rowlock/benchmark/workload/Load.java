package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Ability;
import io.rowlock.benchmark.contender.Locks;
import io.rowlock.benchmark.contender.Worker;
import io.rowlock.benchmark.report.Samples;
import io.rowlock.benchmark.report.Statistics;
import io.rowlock.benchmark.report.Units;
import io.rowlock.benchmark.server.Meter;
import io.rowlock.benchmark.server.Usage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/**
 * What threads got done in a round.
 *
 * @param times how long each took, in nanoseconds, for each thread
 * @param began when counting began, by nanoTime
 * @param ended when it ended
 * @param usage what that cost
 */
record Load(List<long[]> times, long began, long ended, Usage usage) {
    /** For rows to appear and statements to be prepared. */
    private static final Duration RUN_IN = Duration.ofMillis(300);

    private static final Duration HANGS = Duration.ofSeconds(90);
    private static final Duration TOGETHER = Duration.ofSeconds(3);

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

    /** Acquires a key and releases it. */
    record PairLoop(Worker worker, String key) implements Loop {

        static PairLoop of(Locks locks, String key) throws Exception {
            Worker worker = locks.worker();
            worker.prepare(key);
            return new PairLoop(worker, key);
        }

        /**
         * Holds the key once until each thread holds its own, so that a pool has all its connections, as that of a bare contender has.
         * Keys of Spring Integration's registries share 256 locks of their process, so that many threads cannot hold theirs at a time.
         */
        PairLoop heldWith(CyclicBarrier others) throws Exception {
            worker.lock(key);
            try {
                int unused = others.await(TOGETHER.toSeconds(), TimeUnit.SECONDS);
            } catch (TimeoutException | BrokenBarrierException e) {
                // begins without
            }
            worker.unlock();
            return this;
        }

        @Override
        public void once() throws Exception {
            worker.lock(key);
            worker.unlock();
        }

        @Override
        public void close() throws Exception {
            worker.close();
        }
    }

    private enum Phase {
        RUN_IN,
        COUNTING,
        OVER
    }

    static Load measure(int threads, Duration time, Meter meter, Loops loops) throws Exception {
        Threads running = new Threads(threads, loops);
        try {
            return running.measure(time, meter);
        } finally {
            running.stop();
        }
    }

    /** How many pairs each thread came to. */
    List<Long> pairs() {
        return times.stream().map(each -> (long) each.length).toList();
    }

    private double total() {
        return times.stream().mapToLong(each -> each.length).sum();
    }

    /** What so many of the pairs took at most. */
    double micros(double part) {
        return Statistics.quantile(times.stream().flatMapToLong(Arrays::stream).toArray(), part) / 1e3;
    }

    double pairsPerSecond() {
        return total() / ((ended - began) / 1e9);
    }

    /** Notes what each pair cost, on average, here and on the server on which a contender works. */
    void addCosts(Samples samples, String workload, String contender, Predicate<Ability> can) {
        samples.add(workload, contender, Units.CLIENT_CPU, usage.clientMicros() / total());
        if (can.test(Ability.DATABASE)) {
            samples.add(workload, contender, Units.STATEMENTS_A_PAIR, usage.statements() / total());
            samples.add(workload, contender, Units.FSYNCS_A_PAIR, usage.fsyncs() / total());
        }
        double server = can.test(Ability.REDIS) ? usage.redisMicros() : usage.serverMicros();
        if (Double.isFinite(server)) {
            samples.add(workload, contender, Units.SERVER_CPU, server / total());
        }
    }

    private static final class Threads {
        private final ExecutorService executor;
        private final List<Future<long[]>> times = new ArrayList<>();
        private final CountDownLatch ready;
        private volatile Phase phase = Phase.RUN_IN;

        Threads(int threads, Loops loops) {
            executor = Executors.newFixedThreadPool(threads);
            ready = new CountDownLatch(threads);
            for (int i = 0; i < threads; i++) {
                int thread = i;
                times.add(executor.submit(() -> work(loops, thread)));
            }
        }

        private long[] work(Loops loops, int thread) throws Exception {
            try (Loop loop = loops.of(thread)) {
                ready.countDown();
                LongStream.Builder nanos = LongStream.builder();
                while (phase != Phase.OVER) {
                    long start = System.nanoTime();
                    loop.once();
                    if (phase == Phase.COUNTING) {
                        nanos.add(System.nanoTime() - start);
                    }
                }
                return nanos.build().toArray();
            } finally {
                ready.countDown();
            }
        }

        Load measure(Duration time, Meter meter) throws Exception {
            if (!ready.await(HANGS.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("The threads did not get ready");
            }
            TimeUnit.NANOSECONDS.sleep(RUN_IN.toNanos());
            Usage before = meter.read();
            long began = System.nanoTime();
            phase = Phase.COUNTING;
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
            phase = Phase.OVER;
            long ended = System.nanoTime();
            Usage usage = meter.read().since(before);
            return new Load(times(), began, ended, usage);
        }

        private List<long[]> times() throws Exception {
            List<long[]> all = new ArrayList<>();
            for (Future<long[]> each : times) {
                try {
                    all.add(each.get(HANGS.toSeconds(), TimeUnit.SECONDS));
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
