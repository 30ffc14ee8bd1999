package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.session.TransactionConnection.Place;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * A check of transactions that may be on another database than the lock tables. One that is there is not covered by the check, and its lock
 * is not lost because of that. Thread-safe, unless it is pinned.
 */
public final class CoveredFence implements CommitCheck {
    private final CommitCheck check;
    private final TransactionConnection transaction;
    private final SameDatabase same;
    private final Consumer<Place> uncovered;

    /** True if the transaction was found on another database. */
    private boolean elsewhere;

    /**
     * @param check the check where the lock tables are
     * @param dataSource the one the transaction manager works on
     * @param same says where a transaction is
     * @param uncovered decides on a transaction elsewhere, under a lock whose row it cannot check: lets it commit if it returns, and
     *     throws a {@link LockStoreException} if it must not
     */
    public CoveredFence(CommitCheck check, DataSource dataSource, SameDatabase same, Consumer<Place> uncovered) {
        this(check, new TransactionConnection(dataSource, same.locks.queryTimeout()), same, uncovered);
    }

    private CoveredFence(
            CommitCheck check, TransactionConnection transaction, SameDatabase same, Consumer<Place> uncovered) {
        this.check = check;
        this.transaction = transaction;
        this.same = same;
        this.uncovered = uncovered;
    }

    @Override
    public CommitCheck pinned() {
        return new CoveredFence(check.pinned(), transaction.pinned(), same, uncovered);
    }

    @Override
    public Set<Trait> traits() {
        return check.traits();
    }

    @Override
    public boolean isElsewhere() {
        return elsewhere;
    }

    @Override
    public boolean isHeld(Lease lease) {
        if (elsewhere && transaction.pinned() == transaction) { // else the next transaction may be on another one
            return true;
        }
        boolean proves = check.traits().contains(Trait.WRITES_GRANTS);
        Optional<Boolean> answer = same.ask(transaction, proves, () -> check.isHeld(lease));
        elsewhere = answer.isEmpty();
        if (elsewhere) {
            Optional.ofNullable(transaction.place()).ifPresent(uncovered);
        }
        return answer.orElse(true);
    }

    /** Of a transaction elsewhere nothing is known: its database has no row of a grant. */
    @Override
    public boolean isSeen(Lease granted) {
        return same.ask(transaction, true, () -> check.isSeen(granted)).orElse(true);
    }
}
