package io.rowlock.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Many people who do the same at the same moment, each on a thread. */
final class Crowd {

    private Crowd() {}

    /** Calls {@code action} for 0 to {@code people - 1} at once and waits for all of them. */
    static <T> List<T> rush(int people, IntFunction<T> action) throws InterruptedException, ExecutionException {
        CyclicBarrier door = new CyclicBarrier(people);
        List<Callable<T>> tasks = new ArrayList<>();
        for (int i = 0; i < people; i++) {
            int person = i;
            tasks.add(() -> {
                door.await();
                return action.apply(person);
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(people);
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> result : threads.invokeAll(tasks)) {
                results.add(result.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }
}
