package io.rowlock.test;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.LockMode;
import io.rowlock.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Remembers what happens to the application's locks. Thread-safe. A bean in tests with {@link RowlockTest}.
 */
public final class LockRecorder implements LockListener {
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final List<Grant> grants = new CopyOnWriteArrayList<>();

    /** A grant to a thread. */
    private record Grant(Thread thread, String key, LockMode mode) {}

    /** Something that may fail. */
    @FunctionalInterface
    public interface Action {
        /**
         * Does it.
         *
         * @throws Exception if it failed
         */
        void run() throws Exception;
    }

    /** Only remembers, and needs the thread that acquires. */
    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public void onEvent(LockEvent event) {
        events.add(event);
        if (event.type() == LockEvent.Type.ACQUIRED) {
            grants.add(new Grant(Thread.currentThread(), event.key(), event.mode()));
        }
    }

    /** @return what has happened since the last {@link #clear} */
    public List<LockEvent> events() {
        return List.copyOf(events);
    }

    /** Forgets what has happened. */
    public void clear() {
        events.clear();
        grants.clear();
    }

    /**
     * Runs something and makes sure that it acquired this lock exclusively, on the calling thread.
     *
     * @param key the key the lock is to have
     * @param action what acquires it, for example the call of an annotated method
     * @throws AssertionError if it did not
     * @throws Exception what the action throws
     */
    public void assertLocks(String key, Action action) throws Exception {
        assertLocks(key, LockMode.EXCLUSIVE, action);
    }

    /**
     * Runs something and makes sure that it acquired this lock to read, on the calling thread.
     *
     * @param key the key the lock is to have
     * @param action what acquires it, for example the call of an annotated method
     * @throws AssertionError if it did not
     * @throws Exception what the action throws
     */
    public void assertLocksShared(String key, Action action) throws Exception {
        assertLocks(key, LockMode.SHARED, action);
    }

    private void assertLocks(String key, LockMode mode, Action action) throws Exception {
        List<Grant> before = List.copyOf(grants);
        action.run();
        List<Grant> acquired = new ArrayList<>(grants);
        before.forEach(acquired::remove);
        acquired.removeIf(grant -> !grant.thread().equals(Thread.currentThread()));
        if (!acquired.contains(new Grant(Thread.currentThread(), key, mode))) {
            throw new AssertionError("The lock \"%s\" was not acquired %s; acquired were: %s"
                    .formatted(
                            Printable.of(key),
                            mode,
                            acquired.stream()
                                    .map(grant -> "\"" + Printable.of(grant.key()) + "\" " + grant.mode())
                                    .toList()));
        }
    }
}
