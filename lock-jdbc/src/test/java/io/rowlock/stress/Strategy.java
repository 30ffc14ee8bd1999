package io.rowlock.stress;

import io.rowlock.store.CommitCheck;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import javax.sql.DataSource;

/** What is stressed, and where its rows are. */
enum Strategy {
    LEASE("rowlock_lock") {
        @Override
        LockStore store(LockDatabase database) {
            return new LeaseStore(database, StoreNode.PREFIX, null, null);
        }

        @Override
        String someRows(Dice dice) {
            return "lock_key = ? AND " + (dice.percent(70) ? "slot = 0" : "slot > 0");
        }
    },

    UNIQUE_KEY("rowlock_unique_key") {
        @Override
        LockStore store(LockDatabase database) {
            return new UniqueKeyStore(database, StoreNode.PREFIX, null);
        }

        @Override
        String someRows(Dice dice) {
            return "lock_key = ?";
        }
    };

    final String table;

    Strategy(String table) {
        this.table = table;
    }

    abstract LockStore store(LockDatabase database);

    CommitCheck fence(DataSource application) {
        return store(new LockDatabase(application, 8, StoreNode.QUERY_TIMEOUT))
                .commitCheck(application)
                .orElseThrow();
    }

    /** A condition that some rows of a key meet. */
    abstract String someRows(Dice dice);
}
