package io.rowlock.fault;

import io.rowlock.store.LockLog;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.util.Locale;

/**
 * A strategy and the log, as programs are set up with them.
 *
 * @param locks with which strategy
 * @param logging how grants are noted
 */
record SqlSetup(Locks locks, Logging logging) implements Setup {
    /** How grants are noted. */
    enum Logging {
        OFF,
        ASYNC;

        LockLog open(LockDatabase database, TablePrefix prefix) {
            return this == OFF ? LockLog.NONE : new AsyncLockLog(database, prefix);
        }
    }

    @Override
    public String label() {
        return locks.strategy
                + (logging == Logging.OFF ? "" : "+" + logging.name().toLowerCase(Locale.ROOT) + "-log");
    }

    @Override
    public boolean isLasting() {
        return locks != Locks.ROW_LOCK;
    }

    @Override
    public boolean isLateRequestOfEffect() {
        return true;
    }

    @Override
    public boolean takes(Request request) {
        SqlRequest statement = (SqlRequest) request;
        return locks == Locks.ROW_LOCK ? statement.locksRow() : statement.writesLease();
    }
}
