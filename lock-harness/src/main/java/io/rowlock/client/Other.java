package io.rowlock.client;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Another thread. */
public final class Other<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Thread thread;

    private Other(Callable<T> body) {
        thread = new Thread(() -> {
            try {
                result.complete(body.call());
            } catch (Throwable thrown) {
                result.completeExceptionally(thrown);
            }
        });
        thread.setDaemon(true);
    }

    public static <T> Other<T> does(Callable<T> body) {
        Other<T> other = new Other<>(body);
        other.thread.start();
        return other;
    }

    Thread thread() {
        return thread;
    }

    boolean isDone() {
        return result.isDone();
    }

    public T get() throws Exception {
        return result.get(3, TimeUnit.MINUTES);
    }

    /** What it threw. */
    Throwable failure() throws Exception {
        try {
            T unexpected = get();
            throw new AssertionError("It returned " + unexpected);
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        }
    }

    /** Returns once it waits in a line of its process. */
    public void awaitWaiting() {
        org.awaitility.Awaitility.await()
                .until(() ->
                        thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.WAITING);
    }
}
