package io.rowlock.store.jdbc.session;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs something with little stack left, on a thread of its own. */
public final class DeepStack {
    private static final int DEEPEST = 200_000;
    private static final int STACK = 512 * 1024;

    private DeepStack() {}

    /** @return what it has thrown, or null */
    public static @Nullable Throwable run(int depth, Runnable work) throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Runnable deep = () -> {
            try {
                int unused = descend(depth, work);
            } catch (StackOverflowError | RuntimeException e) {
                thrown.set(e);
            }
        };
        Thread thread = new Thread(null, deep, "deep", STACK);
        thread.start();
        thread.join();
        return thrown.get();
    }

    private static int descend(int depth, Runnable work) {
        if (depth == 0) {
            work.run();
            return 0;
        }
        return descend(depth - 1, work) + 1;
    }

    /** Where there is just enough of it. Roughly: compiled frames are smaller. */
    public static int deepestThatWorks(Runnable work) throws InterruptedException {
        int works = 0;
        int fails = DEEPEST;
        while (fails - works > 1) {
            int middle = (works + fails) / 2;
            if (run(middle, work) == null) {
                works = middle;
            } else {
                fails = middle;
            }
        }
        return works;
    }
}
