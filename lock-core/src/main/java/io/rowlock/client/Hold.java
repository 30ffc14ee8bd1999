package io.rowlock.client;

import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread's hold on one key: every grant it has of it, nested ones too, and every open transaction that keeps it. It
 * ends when the last grant is closed and the last such transaction has completed, whichever is later. If only shared
 * grants are left of an exclusive hold, it becomes a shared one without a gap.
 *
 * <p>Thread-safe: {@code this} guards the fields; the database is asked without it.
 */
final class Hold {
    private static final Logger logger = LoggerFactory.getLogger(Hold.class);

    private final LockId id;
    private final ThreadHolds holds;
    private final LockLog log;
    private final GrantNotices notices;
    private final LockInstrumentation.Holding holding;
    private final Runnable whenEnded;

    private LockMode mode;
    private Tenure tenure;
    private LockLog.Entry entry;
    private @Nullable Thread owner;
    private int grants;
    private int exclusiveGrants;
    private int transactions;
    private boolean changing;
    private boolean ended;
    private boolean leftToOthers;

    /**
     * @param tenure the lease it has, which it leaves when it ends
     * @param notices whom to tell of it
     * @param whenEnded what to do when it has ended
     * @throws LockStoreException if the log could not note it and must not miss it
     */
    Hold(Terms terms, Tenure tenure, ThreadHolds holds, LockLog log, GrantNotices notices, Runnable whenEnded) {
        this.id = terms.id();
        this.mode = terms.mode();
        this.tenure = tenure;
        this.holds = holds;
        this.log = log;
        this.notices = notices;
        this.whenEnded = whenEnded;
        this.holding = notices.holding(tenure.lease().lease());
        try {
            this.entry = noted(tenure.lease(), notices.waited());
        } catch (LockStoreException e) {
            holding.failed(e);
            throw e;
        }
    }

    private LockLog.Entry noted(ManagedLease granted, Duration waited) {
        LockLog.Entry noted =
                log.granted(granted.store().strategy(), granted.lease().as(mode), waited);
        granted.onEnd(() -> {
            if (granted.isGone()) {
                noted.lost();
                holding.lost();
            } else if (granted.isGivenBack()) {
                noted.released();
            }
        });
        return noted;
    }

    LockId id() {
        return id;
    }

    synchronized ManagedLease lease() {
        return tenure.lease();
    }

    void tellAcquired() {
        notices.acquired(lease().lease());
    }

    /** @see io.rowlock.HeldLock#extend */
    void extend(Duration ttl) {
        Tenure present;
        synchronized (this) {
            present = tenure;
        }
        present.extend(ttl);
    }

    /** @see io.rowlock.HeldLock#onLost */
    void onLost(Consumer<LockEvent> action) {
        lease().onLost(event -> {
            if (!isLeftToOthers()) {
                action.accept(event);
            }
        });
    }

    /** Interrupts {@code body} if its lease is lost. */
    void interruptOnLost(BodyInterrupts.Body body) {
        lease().interruptOnLost(body);
    }

    private synchronized boolean isLeftToOthers() {
        return leftToOthers;
    }

    /** Makes the calling thread its owner. */
    void ownedByCaller() {
        synchronized (this) {
            owner = Thread.currentThread();
        }
        holds.add(Thread.currentThread(), this);
    }

    /** The calling thread relies on it. */
    Reliance rely() {
        return new ThreadReliance(holds, List.of(this));
    }

    /** @throws LockLostException if it has ended, though another thread of this process may go on with its lease */
    synchronized void requireNotEnded() {
        if (ended) {
            throw lease().refusal("it was released");
        }
    }

    /** From now on it belongs to no thread. */
    void detach() {
        Thread former;
        synchronized (this) {
            former = owner;
            owner = null;
        }
        if (former != null) {
            holds.remove(former, this);
        }
    }

    /**
     * One more grant of it.
     *
     * @return false if it has just ended, so that it must be taken anew
     * @throws LockLostException if it is lost: no body runs under it
     * @throws IllegalStateException if it is shared and the grant is to be exclusive
     */
    synchronized boolean enter(LockMode wanted) {
        if (ended) {
            return false;
        }
        if (!mode.covers(wanted)) {
            throw new IllegalStateException(
                    "The thread holds \"%s\" shared and asks for it exclusive: two that do so would wait for each other"
                                    .formatted(Printable.of(lease().terms().name()))
                            + " for ever, so a lock is never upgraded; release the shared one first");
        }
        if (grants > 0 || transactions > 0) {
            lease().requireHeld();
        }
        grants++;
        exclusiveGrants += wanted == LockMode.EXCLUSIVE ? 1 : 0;
        return true;
    }

    /** A grant is closed. */
    void leave(LockMode closed) {
        synchronized (this) {
            grants--;
            exclusiveGrants -= closed == LockMode.EXCLUSIVE ? 1 : 0;
        }
        settle();
    }

    /** A transaction keeps it. */
    synchronized void keptByTransaction() {
        transactions++;
    }

    /** That transaction has completed. */
    void transactionCompleted() {
        synchronized (this) {
            transactions--;
        }
        settle();
    }

    /** A transaction it guarded has committed. */
    void committed() {
        LockLog.Entry present;
        synchronized (this) {
            present = entry;
        }
        present.completed();
    }

    private void settle() {
        boolean downgrade;
        synchronized (this) {
            if (changing || ended || transactions > 0 || exclusiveGrants > 0) {
                return;
            }
            ended = grants == 0;
            downgrade = !ended && mode == LockMode.EXCLUSIVE;
            changing = downgrade;
            mode = downgrade ? LockMode.SHARED : mode;
        }
        if (downgrade) {
            downgrade();
        } else if (ended) {
            end();
        }
    }

    private void downgrade() {
        ManagedLease exclusive = lease();
        try {
            ManagedLease shared = exclusive.downgrade();
            if (shared != null) {
                become(shared);
            }
        } catch (LockStoreException e) {
            logger.warn("\"{}\" stays exclusive until it is released: {}", Printable.of(id.key()), e.getMessage());
        }
        synchronized (this) {
            changing = false;
        }
        settle();
    }

    /** From here on the shared lease is the one that is held and given back, noted or not. */
    private void become(ManagedLease shared) {
        synchronized (this) {
            tenure = tenure.replacedBy(shared);
        }
        try {
            LockLog.Entry next = noted(shared, Duration.ZERO);
            synchronized (this) {
                entry = next;
            }
        } catch (LockStoreException e) {
            logger.warn(
                    "\"{}\" is held shared from now on, but the log does not say so: {}",
                    Printable.of(id.key()),
                    e.getMessage());
        }
    }

    private void end() {
        detach();
        ManagedLease last = lease();
        try {
            tenure.leave();
        } catch (RuntimeException e) {
            holding.failed(e);
            throw e;
        } finally {
            whenEnded.run();
        }
        synchronized (this) {
            leftToOthers = last.isHeld();
        }
        if (last.isGone()) {
            holding.lost();
        } else {
            released(last.lease());
        }
    }

    private void released(Lease last) {
        LockLog.Entry present;
        LockMode used;
        synchronized (this) {
            present = entry;
            used = mode;
        }
        present.released();
        holding.released();
        notices.released(last, used);
    }
}
