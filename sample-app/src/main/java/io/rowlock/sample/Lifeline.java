package io.rowlock.sample;

import io.rowlock.LockStoreException;
import io.rowlock.store.LockStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * Between a worker and its locks in the database. While it is paused, whoever asks waits, as in a process that stands still;
 * once it is cut nothing gets through any more, as after a crash. Thread-safe.
 */
final class Lifeline {
    private boolean paused;
    private boolean cut;

    LockStore around(LockStore store) {
        return (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, arguments) -> pass(store, method, arguments));
    }

    private @Nullable Object pass(LockStore store, Method method, Object @Nullable [] arguments) throws Throwable {
        if (!isOpen()) {
            if (method.getReturnType() == boolean.class) {
                return true; // a release, for one, that the database never hears of
            }
            throw new LockStoreException("The worker is dead", null);
        }
        try {
            return method.invoke(store, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Waits while it is paused. @return whether anything gets through */
    synchronized boolean isOpen() {
        try {
            while (paused && !cut) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockStoreException("The worker is ended while it is paused", e);
        }
        return !cut;
    }

    synchronized void pause() {
        paused = true;
    }

    synchronized void resume() {
        paused = false;
        notifyAll();
    }

    synchronized void cut() {
        cut = true;
        notifyAll();
    }
}
