package io.rowlock.interceptor.result;

import io.rowlock.HeldLock;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Releases a lock without hiding how the guarded body ended. */
public final class LockRelease {
    private static final Logger log = LoggerFactory.getLogger(LockRelease.class);

    private LockRelease() {}

    static void afterReturn(HeldLock lock) {
        try {
            lock.close();
        } catch (LockStoreException failure) {
            log.warn(
                    "The lock \"{}\" was not released; that is tried again until its ttl is over",
                    Printable.of(lock.key()),
                    failure);
        }
    }

    public static void afterThrow(HeldLock lock, Throwable thrown) {
        try {
            lock.close();
        } catch (RuntimeException failure) {
            if (failure != thrown) {
                thrown.addSuppressed(failure);
            }
        }
    }

    /** After the body ended on another thread: a failure can only be logged. */
    static void afterCompletion(HeldLock lock, @Nullable Throwable thrown) {
        if (thrown != null) {
            afterThrow(lock, thrown);
            return;
        }
        try {
            lock.close();
        } catch (RuntimeException failure) {
            log.warn(
                    "The lock \"{}\" was not released; that is tried again until its ttl is over",
                    Printable.of(lock.key()),
                    failure);
        }
    }
}
