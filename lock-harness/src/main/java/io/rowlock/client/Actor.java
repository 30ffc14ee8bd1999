package io.rowlock.client;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A thread that does one thing after another, so that what it holds stays its own. */
final class Actor implements AutoCloseable {
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    <T> T does(Callable<T> body) throws Exception {
        return starts(body).get(30, TimeUnit.SECONDS);
    }

    void runs(Runnable body) throws Exception {
        Object unused = thread.submit(body).get(30, TimeUnit.SECONDS);
    }

    <T> Future<T> starts(Callable<T> body) {
        return thread.submit(body);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
