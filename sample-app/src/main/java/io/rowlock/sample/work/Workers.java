package io.rowlock.sample.work;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** The threads on which a node serves people, each one person after the other. */
@Component
@Profile("node")
public class Workers implements DisposableBean {
    private static final int COUNT = 4;

    private final AtomicInteger started = new AtomicInteger();
    private final ExecutorService threads =
            Executors.newFixedThreadPool(COUNT, task -> new Thread(task, "worker-" + started.incrementAndGet()));

    /** Calls {@code action} for 0 to {@code times - 1} and waits for all of them. */
    public <T> List<T> serve(int times, IntFunction<T> action) throws InterruptedException, ExecutionException {
        List<Callable<T>> tasks = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            int person = i;
            tasks.add(() -> action.apply(person));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> result : threads.invokeAll(tasks)) {
            results.add(result.get());
        }
        return results;
    }

    @Override
    public void destroy() {
        threads.shutdownNow();
    }
}
