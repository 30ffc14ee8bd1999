package io.rowlock.store.jdbc.session;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** A thread that cannot begin another one, as where the system lets the process have no more. */
public final class LastThread {
    private LastThread() {}

    /** Returns what the body comes to on such a thread. */
    public static <T> T call(Callable<T> body) throws Exception {
        FutureTask<T> task = new FutureTask<>(body);
        new Thread(task, "last") {
            @Override
            public ClassLoader getContextClassLoader() { // asked for when a thread is made
                throw new OutOfMemoryError("no thread for the test");
            }
        }.start();
        return task.get(1, TimeUnit.MINUTES);
    }
}
