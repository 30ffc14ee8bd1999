package io.rowlock.fault;

import io.rowlock.store.CommitCheck;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.fence.TokenFence;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.LeasesInPackets;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.memory.InMemoryLockStore;

/** A strategy, as a program is set up with it. */
enum Locks {
    LEASE(LeaseStore.NAME) {
        @Override
        LockStore store(SqlProgram program) {
            return new LeaseStore(program.database, program.prefix, program.namedLocks, null);
        }
    },

    /** Leases that are taken and released by packets, however few. */
    PACKETS(LeaseStore.NAME) {
        @Override
        LockStore store(SqlProgram program) {
            return LeasesInPackets.store(
                    program.database,
                    program.prefix,
                    program.namedLocks,
                    new LockDatabase(program.pools.packets, 8, program.pools.queryTimeout));
        }
    },

    UNIQUE_KEY(UniqueKeyStore.NAME) {
        @Override
        LockStore store(SqlProgram program) {
            return new UniqueKeyStore(program.database, program.prefix, program.namedLocks);
        }
    },

    ROW_LOCK(RowLockStore.NAME) {
        @Override
        LockStore store(SqlProgram program) {
            return new RowLockStore(program.database, program.pools.rowLocks, program.pools.size, program.prefix, true);
        }
    },

    /** Kept outside of the database, in memory. A transaction is checked when it begins. */
    OUTSIDE(InMemoryLockStore.NAME) {
        @Override
        LockStore store(SqlProgram program) {
            return program.elsewhere;
        }

        @Override
        CommitCheck fence(SqlProgram program, LockStore store) {
            return tokens(program, true);
        }
    },

    /** As {@link #OUTSIDE}, but a transaction is checked right before it commits. */
    OUTSIDE_LATE(InMemoryLockStore.NAME) {
        @Override
        LockStore store(SqlProgram program) {
            return OUTSIDE.store(program);
        }

        @Override
        CommitCheck fence(SqlProgram program, LockStore store) {
            return tokens(program, false);
        }
    };

    final String strategy;

    Locks(String strategy) {
        this.strategy = strategy;
    }

    abstract LockStore store(SqlProgram program);

    CommitCheck fence(SqlProgram program, LockStore store) {
        return store.commitCheck(program.pools.application).orElseThrow();
    }

    private static CommitCheck tokens(SqlProgram program, boolean atBegin) {
        return new TokenFence(
                program.pools.application,
                program.database,
                program.prefix,
                atBegin,
                (lease, seen) -> program.elsewhere.expire(lease));
    }
}
