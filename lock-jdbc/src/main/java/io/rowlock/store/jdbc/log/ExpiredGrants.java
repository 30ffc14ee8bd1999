package io.rowlock.store.jdbc.log;

import static io.rowlock.store.jdbc.session.JdbcText.key;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.util.List;

/**
 * Marks the log rows of a lease that ran out and was taken over. Only rows that still say HELD or COMPLETED, and only those
 * whose lease is gone by the tables; a row that another transaction has locked is left to the clean-up. Thread-safe.
 */
final class ExpiredGrants {
    private static final long NO_GRACE = 0;

    private final LockDatabase database;
    private final LogSql sql;

    ExpiredGrants(LockDatabase database, TablePrefix prefix) {
        this.database = database;
        this.sql = new LogSql(prefix);
    }

    /** A lease of a strategy that is gone. */
    record Former(String strategy, Lease lease) {
        /** A reader's lease has one token, which its row shows; an exclusive one has as many as it could be handed on. */
        long lastToken() {
            return lease.mode() == LockMode.EXCLUSIVE ? lease.fence() + Lease.MOST_HANDOFFS : lease.fence();
        }

        private Object[] parameters() {
            return new Object[] {
                lease.key(),
                key(lease.key()).length,
                strategy,
                lease.owner(),
                lease.fence(),
                lastToken(),
                NO_GRACE,
                NO_GRACE
            };
        }
    }

    void mark(Former former) {
        int unused = database.call(session -> mark(session, former));
    }

    private int mark(Session session, Former former) throws SQLException {
        List<Long> open = session.query(sql.openEntriesOfOne, row -> row.getLong(1), former.parameters());
        return open.isEmpty() ? 0 : session.inTransaction(transaction -> mark(transaction, open));
    }

    private int mark(Session transaction, List<Long> open) throws SQLException {
        List<Long> mine = transaction.query(sql.lockEntries(open.size()), row -> row.getLong(1), open.toArray());
        return mine.isEmpty() ? 0 : transaction.update(sql.markExpired(mine.size()), mine.toArray());
    }
}
