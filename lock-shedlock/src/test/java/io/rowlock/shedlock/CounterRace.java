package io.rowlock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

/** Two counters that eight threads of two nodes increase without care, each under a lock that is kept for five milliseconds. */
final class CounterRace {
    private static final int THREADS = 8;
    private static final int ROUNDS = 50;
    private static final int ROUNDS_OF_THE_FIRST = 10;

    private final List<LockProvider> nodes;
    private final String name;
    private final Counter[] counters = {new Counter(), new Counter()};

    private static final class Counter {
        volatile int value;
    }

    CounterRace(LockProvider node, LockProvider rival, String name) {
        this.nodes = List.of(node, rival);
        this.name = name;
    }

    void run() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                running.add(threads.submit(() -> increase(thread)));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        int others = THREADS / 2 - 1;
        assertThat(counters[0].value).isEqualTo(others * ROUNDS + ROUNDS_OF_THE_FIRST);
        assertThat(counters[1].value).isEqualTo(THREADS / 2 * ROUNDS);
    }

    private Void increase(int thread) throws InterruptedException {
        LockProvider provider = nodes.get(thread / 2 % 2);
        int counter = thread % 2;
        int left = thread == 0 ? ROUNDS_OF_THE_FIRST : ROUNDS;
        while (left > 0) {
            Optional<SimpleLock> lock = provider.lock(LockProviderContract.job(
                    name + "-counter-" + counter, Duration.ofMinutes(5), Duration.ofMillis(5)));
            if (lock.isPresent()) {
                int read = counters[counter].value;
                Thread.sleep(1);
                counters[counter].value = read + 1;
                lock.get().unlock();
                left--;
            } else {
                Thread.sleep(1);
            }
        }
        return null;
    }
}
