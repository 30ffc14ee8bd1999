package io.rowlock.verification.node;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.verification.history.Event.Kind;
import io.rowlock.verification.history.Recorder;

/** Writes what a node's listeners are told to its history: of a grant before the call returns, on its thread. Thread-safe. */
final class Listener implements LockListener {
    private final Recorder recorder;
    private final ThreadLocal<Long> calls = ThreadLocal.withInitial(() -> 0L);

    Listener(Recorder recorder) {
        this.recorder = recorder;
    }

    /** From now on grants of the calling thread are those of this call. */
    void begins(long operation) {
        calls.set(operation);
    }

    @Override
    public void onEvent(LockEvent event) {
        switch (event.type()) {
            case ACQUIRED, RELEASED, LOST ->
                recorder.add(calls.get(), Kind.HEARD, event.key(), event.type().name(), event.fencingToken());
            default -> {}
        }
    }

    @Override
    public boolean mayBlock() {
        return false;
    }
}
