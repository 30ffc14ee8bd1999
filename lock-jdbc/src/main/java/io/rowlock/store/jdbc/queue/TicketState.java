package io.rowlock.store.jdbc.queue;

import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How far a ticket has come in its queue, shared by the thread that waits in the server and the waiter.
 * Thread-safe: {@code guard} guards the fields.
 */
final class TicketState {
    /** A shorter wait is no wait for another process. */
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    /** A connection that has answered so lately is in order, as pools see it. */
    private static final long FRESH = TimeUnit.MILLISECONDS.toNanos(500);

    private enum Stage {
        /** Others are ahead of it. */
        WAITING,
        /** It is the first. */
        FIRST,
        /** It is over, or of no use. */
        OVER
    }

    private final long entered = System.nanoTime();
    private final ReentrantLock guard = new ReentrantLock();
    private final Condition changed = guard.newCondition();

    private Stage stage = Stage.WAITING;
    private @Nullable Connection connection;
    private boolean inUse;
    private boolean hasNamedLock;
    private long first;
    private boolean waited;
    private boolean kept;
    private boolean brokenOff;

    Duration age() {
        return Duration.ofNanos(System.nanoTime() - entered);
    }

    // ---- the thread that waits in the server

    /** @return whether it is still to wait */
    boolean began(Connection waiting) {
        guard.lock();
        try {
            connection = waiting;
            return stage == Stage.WAITING;
        } finally {
            guard.unlock();
        }
    }

    void came(boolean isFirst) {
        guard.lock();
        try {
            hasNamedLock = isFirst;
            first = System.nanoTime();
            waited = age().compareTo(AT_ONCE) > 0;
            if (stage == Stage.WAITING) {
                stage = isFirst ? Stage.FIRST : Stage.OVER;
                changed.signalAll();
            }
        } finally {
            guard.unlock();
        }
    }

    /** @return whether the named lock is still to be released */
    boolean awaitEnd() {
        guard.lock();
        try {
            while (stage == Stage.FIRST || inUse) {
                changed.awaitUninterruptibly();
            }
            return hasNamedLock;
        } finally {
            guard.unlock();
        }
    }

    boolean isKept() {
        guard.lock();
        try {
            return kept;
        } finally {
            guard.unlock();
        }
    }

    /** @return whether another thread closes the connection, sooner or later; known once the wait in the server is over */
    boolean isBrokenOff() {
        guard.lock();
        try {
            return brokenOff;
        } finally {
            guard.unlock();
        }
    }

    void over() {
        guard.lock();
        try {
            stage = Stage.OVER;
            changed.signalAll();
        } finally {
            guard.unlock();
        }
    }

    // ---- the waiter

    /** @return whether the ticket is the first of the queue by now */
    boolean await(Duration atMost) throws InterruptedException {
        guard.lock();
        try {
            long left = atMost.toNanos();
            while (stage == Stage.WAITING && left > 0) {
                left = changed.awaitNanos(left);
            }
            return stage == Stage.FIRST;
        } finally {
            guard.unlock();
        }
    }

    boolean isOver() {
        guard.lock();
        try {
            return stage == Stage.OVER;
        } finally {
            guard.unlock();
        }
    }

    void hasToWait() {
        guard.lock();
        try {
            waited = true;
        } finally {
            guard.unlock();
        }
    }

    boolean hasWaited() {
        guard.lock();
        try {
            return waited;
        } finally {
            guard.unlock();
        }
    }

    /** @param allowed asked once, and only if the ticket is the first of the queue */
    boolean keep(BooleanSupplier allowed) {
        guard.lock();
        try {
            kept = kept || (stage == Stage.FIRST && allowed.getAsBoolean());
            return kept;
        } finally {
            guard.unlock();
        }
    }

    /** Takes the connection from the thread that waits in the server. @return null if it is of no use any more */
    @Nullable
    Connection borrow() {
        guard.lock();
        try {
            if (stage != Stage.FIRST || inUse) {
                return null;
            }
            inUse = true;
            return connection;
        } finally {
            guard.unlock();
        }
    }

    /** As {@link #borrow}, but only soon after the ticket became the first. */
    @Nullable
    Connection borrowFresh() {
        guard.lock();
        try {
            return System.nanoTime() - first < FRESH ? borrow() : null;
        } finally {
            guard.unlock();
        }
    }

    /** Returns the connection, and keeps the ticket. */
    void giveBack() {
        guard.lock();
        try {
            inUse = false;
            changed.signalAll();
        } finally {
            guard.unlock();
        }
    }

    /** Returns the connection, and gives the ticket up. */
    void giveBackAndLeave(boolean released) {
        guard.lock();
        try {
            inUse = false;
            hasNamedLock = hasNamedLock && !released;
            over();
        } finally {
            guard.unlock();
        }
    }

    /** Gives the ticket up. @return the connection if a wait goes on in it that is to be broken off */
    @Nullable
    Connection leave(boolean breakOff) {
        guard.lock();
        try {
            boolean breaking = stage == Stage.WAITING && breakOff && connection != null;
            brokenOff = brokenOff || breaking;
            over();
            return breaking ? connection : null;
        } finally {
            guard.unlock();
        }
    }
}
