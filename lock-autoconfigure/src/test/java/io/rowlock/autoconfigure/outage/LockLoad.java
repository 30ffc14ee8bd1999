package io.rowlock.autoconfigure.outage;

import io.rowlock.LockRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that acquire, hold and release locks until they are stopped. */
final class LockLoad implements AutoCloseable {
    private static final int MOST_MILLIS_HELD = 10;
    private static final int SOME = 10;

    private final Bodies bodies;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Worker> workers = new CopyOnWriteArrayList<>();
    private final List<Future<?>> running = new CopyOnWriteArrayList<>();
    private volatile boolean stopped;

    LockLoad(Bodies bodies) {
        this.bodies = bodies;
    }

    /** Starts so many threads that take these locks at random, one at a time. */
    void start(int count, List<LockRequest> requests) {
        for (int i = 0; i < count; i++) {
            Worker worker = new Worker(requests);
            workers.add(worker);
            running.add(threads.submit(worker));
        }
    }

    /** Does something on another thread. */
    <T> Future<T> submit(Callable<T> task) {
        return threads.submit(task);
    }

    /** Counts from zero what {@link #eachGotSome} and {@link #eachFailed} ask for. */
    void beginAnew() {
        workers.forEach(Worker::beginAnew);
    }

    boolean eachGotSome() {
        return workers.stream().allMatch(worker -> worker.grants.get() >= SOME);
    }

    boolean eachFailed() {
        return workers.stream().allMatch(worker -> worker.failures.get() > 0);
    }

    /** Waits until every thread has ended; one that hangs, or saw what it should not see, fails the test. */
    void stop() throws Exception {
        stopped = true;
        for (Future<?> each : running) {
            Object unused = each.get(1, TimeUnit.MINUTES);
        }
    }

    @Override
    public void close() {
        stopped = true;
        threads.shutdownNow();
    }

    private final class Worker implements Callable<Boolean> {
        private final List<LockRequest> requests;
        private final AtomicInteger grants = new AtomicInteger();
        private final AtomicInteger failures = new AtomicInteger();

        private Worker(List<LockRequest> requests) {
            this.requests = requests;
        }

        private void beginAnew() {
            grants.set(0);
            failures.set(0);
        }

        @Override
        public Boolean call() throws InterruptedException {
            while (!stopped) {
                Optional<Bodies.Body> taken =
                        bodies.take(requests.get(ThreadLocalRandom.current().nextInt(requests.size())));
                (taken.isPresent() ? grants : failures).incrementAndGet();
                if (taken.isPresent()) {
                    try (Bodies.Body body = taken.get()) {
                        work();
                    }
                    work();
                }
            }
            return true;
        }

        /** Holds the lock, or does without one, for a random while: that is the load. */
        private static void work() throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(MOST_MILLIS_HELD));
        }
    }
}
