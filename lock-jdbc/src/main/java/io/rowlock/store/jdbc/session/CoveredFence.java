package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import io.rowlock.store.Fence;
import io.rowlock.store.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A fence of transactions that may be on another database than the lock tables, as those of a DataSource that routes. The row decides:
 * only if a lease is not found in the transaction is that transaction asked, each time anew, whether it is on another database. If it
 * is, it is not covered by the check, and its lock is not lost because of that. Thread-safe.
 */
public final class CoveredFence implements Fence {
    /** Of the check that a thread is about to make in its transaction: it is opened first. */
    private static final ThreadLocal<@Nullable CoveredPin> OPENED = new ThreadLocal<>();

    private final Fence fence;
    private final TransactionConnection transaction;
    private final SameDatabase same;
    private final Uncovered uncovered;

    /** Decides what becomes of a transaction under a lock whose row it cannot check. */
    @FunctionalInterface
    public interface Uncovered {
        /**
         * Lets it commit if it returns.
         *
         * @param place where the transaction is
         * @throws LockStoreException if it must not commit
         */
        void found(CheckedTransaction.Place place);
    }

    /**
     * @param fence the check where the lock tables are
     * @param dataSource the one the transaction manager works on
     * @param queryTimeout how long a check may take; rounded up to whole seconds
     * @param same tells where a transaction is
     * @param uncovered decides on transactions elsewhere
     */
    public CoveredFence(
            Fence fence, DataSource dataSource, Duration queryTimeout, SameDatabase same, Uncovered uncovered) {
        this.fence = fence;
        this.transaction = new TransactionConnection(dataSource, queryTimeout);
        this.same = same;
        this.uncovered = uncovered;
    }

    @Override
    public Optional<Lease> firstLost(List<Lease> leases) {
        CoveredPin pin = OPENED.get();
        OPENED.remove();
        return firstLost(transaction, () -> fence.firstLost(leases), pin);
    }

    /** A check of the same thread may come from a transaction inside the commit of this one, on a database that is covered. */
    @Override
    public Pinned pinned() {
        TransactionConnection.Pinned present = transaction.pinned();
        if (present == null) {
            return fence.pinned();
        }
        CoveredPin pin = new CoveredPin(present, fence.pinned());
        OPENED.set(pin);
        return pin;
    }

    private Optional<Lease> firstLost(
            CheckedTransaction checked, Supplier<Optional<Lease>> check, @Nullable CoveredPin pin) {
        CheckedTransaction.Place place = checked.place();
        if (place == null) {
            return check.get();
        }
        if (!place.isMysql()) {
            return uncovered(place, pin);
        }
        Optional<Lease> lost;
        try {
            lost = check.get();
        } catch (LockStoreException e) {
            if (SqlFailure.NO_TABLE.caused(e) && same.of(checked) == SameDatabase.Answer.OTHER) {
                return uncovered(place, pin);
            }
            throw e;
        }
        return lost.isPresent() && same.of(checked) == SameDatabase.Answer.OTHER ? uncovered(place, pin) : lost;
    }

    private Optional<Lease> uncovered(CheckedTransaction.Place place, @Nullable CoveredPin pin) {
        if (pin != null) {
            pin.elsewhere = true;
        }
        uncovered.found(place);
        return Optional.empty();
    }

    @Override
    public boolean atBegin() {
        return fence.atBegin();
    }

    @Override
    public boolean protectsLease() {
        return fence.protectsLease();
    }

    @Override
    public void discard() {
        fence.discard();
    }

    @Override
    public boolean writesGrants() {
        return fence.writesGrants();
    }

    /** Of a transaction elsewhere nothing is known: its database has no row of a grant. */
    @Override
    public Optional<Lease> firstUnseen(List<Lease> granted) {
        CheckedTransaction.Place place = transaction.place();
        if (place != null && !place.isMysql()) {
            return Optional.empty();
        }
        Optional<Lease> unseen;
        try {
            unseen = fence.firstUnseen(granted);
        } catch (LockStoreException e) {
            if (SqlFailure.NO_TABLE.caused(e) && same.of(transaction) == SameDatabase.Answer.OTHER) {
                return Optional.empty();
            }
            throw e;
        }
        return unseen.isPresent() && same.of(transaction) == SameDatabase.Answer.OTHER ? Optional.empty() : unseen;
    }

    /** Counts as over once its transaction turned out to be elsewhere: no lease can be checked in it. */
    private final class CoveredPin implements Pinned {
        private final TransactionConnection.Pinned present;
        private final Pinned pinned;
        private boolean elsewhere;

        private CoveredPin(TransactionConnection.Pinned present, Pinned pinned) {
            this.present = present;
            this.pinned = pinned;
        }

        @Override
        public boolean isOpen() {
            return !elsewhere && pinned.isOpen();
        }

        @Override
        public Optional<Lease> firstLost(List<Lease> leases) {
            return CoveredFence.this.firstLost(present, () -> pinned.firstLost(leases), this);
        }
    }
}
