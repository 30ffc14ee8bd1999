package io.rowlock.verification.node;

import io.rowlock.LockClient;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.verification.history.Event.Kind;
import io.rowlock.verification.history.Recorder;
import java.time.Duration;

/** Notes what a thread asks for, and what it is told. */
record Notes(Recorder recorder, Listener listener, LockClient locks) {
    long asked(String key, String mode, Duration wait) {
        long operation = recorder.asked(key, mode, wait.toNanos());
        listener.begins(operation);
        return operation;
    }

    /** The lock lasts until then at least, as far as this thread can see. */
    void claim(long operation, String key) {
        long now = Recorder.now();
        if (locks.isHeldByCurrentThread(key)) {
            recorder.add(operation, Kind.HELD, key, "", now);
        }
    }

    void failed(long operation, String key, RuntimeException e) {
        String why = e instanceof LockStoreException ? "store" : e.getClass().getSimpleName();
        recorder.add(operation, Kind.REFUSED, key, e instanceof LockNotAcquiredException ? "busy" : why, -1);
    }

    void busy(long operation, String key) {
        recorder.add(operation, Kind.REFUSED, key, "busy", -1);
    }
}
