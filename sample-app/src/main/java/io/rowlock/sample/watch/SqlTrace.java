package io.rowlock.sample.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What one of several calls has the database do: the one that has it do most. Thread-safe. */
public final class SqlTrace {
    private static final int LONGEST = 60;

    private static final ThreadLocal<@Nullable List<String>> recorded = new ThreadLocal<>();
    private static volatile CountDownLatch thaw = new CountDownLatch(0);

    private List<String> most = List.of();

    /** Calls something and notes what it sends from this thread. */
    public <T extends @Nullable Object> T noting(Supplier<T> call) {
        List<String> statements = new ArrayList<>();
        recorded.set(statements);
        try {
            return call.get();
        } finally {
            recorded.remove();
            keep(statements);
        }
    }

    /** The statements of that call, in order. */
    public synchronized List<String> statements() {
        return most;
    }

    private synchronized void keep(List<String> statements) {
        if (statements.size() > most.size()) {
            most = List.copyOf(statements);
        }
    }

    /** Makes every statement of this process wait, or lets them go on: what a stopped process looks like from outside. */
    static synchronized void freeze(boolean frozen) {
        thaw.countDown();
        thaw = new CountDownLatch(frozen ? 1 : 0);
    }

    static void sent(Supplier<String> sql) {
        awaitThaw();
        List<String> statements = recorded.get();
        if (statements != null && statements.size() < LONGEST) {
            statements.add(sql.get());
        }
    }

    private static void awaitThaw() {
        try {
            thaw.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
