package io.rowlock.fault;

import io.rowlock.client.RowlockClient;
import io.rowlock.client.TransactionFence;
import io.rowlock.client.lock.OpenTransactions;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import io.rowlock.store.SnapshotMarks;
import io.rowlock.store.jdbc.cleanup.ImpatientCleanUp;
import io.rowlock.store.jdbc.fence.MarkRow;
import io.rowlock.store.jdbc.lease.NamedLocks;
import io.rowlock.store.jdbc.rowlock.TransactionRowLocks;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.SameDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import io.rowlock.store.jdbc.session.TransactionConnection;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A process, as far as locks go: a client, and transactions that its locks guard. */
final class SqlProgram implements Program {
    /** How many threads of it wait in a line at a time. */
    private static final int TICKETS = 8;

    private final String owner;
    final TablePrefix prefix;
    final Pools pools;

    /** Where the locks of a run are that are not in the database. */
    final InMemoryLockStore elsewhere;

    final LockDatabase database;
    final NamedLocks namedLocks;
    private final RowlockClient client;
    final JdbcTransactionManager transactions;
    final JdbcTemplate sql;

    SqlProgram(String owner, SqlSetup setup, TablePrefix prefix, Pools pools, InMemoryLockStore elsewhere) {
        this.owner = owner;
        this.prefix = prefix;
        this.elsewhere = elsewhere;
        Locks locks = setup.locks();
        this.pools = pools;
        database = new LockDatabase(pools.statements, 8, pools.queryTimeout);
        namedLocks = new NamedLocks(pools.waiting, TICKETS, pools.queryTimeout);
        LockLog log = setup.logging().open(database, prefix);
        LockStore store = locks.store(this);
        SameDatabase same = new SameDatabase(database, prefix);
        client = RowlockClient.builder(store)
                .ttl(Stage.TTL)
                .waitTime(Stage.PATIENCE)
                .owner(owner)
                .log(log)
                .transactionLocks(new TransactionRowLocks(database, () -> List.of(pools.application), same, prefix))
                .build();
        transactions = new JdbcTransactionManager(pools.application);
        SnapshotMarks marks = new MarkRow(pools.application, database, prefix, same);
        transactions.addListener(new TransactionFence(
                client,
                new OpenTransactions.Rules(
                        Map.of(locks.strategy, locks.fence(this, store)),
                        marks,
                        client.staleReads(),
                        null,
                        () -> TransactionConnection.rollBack(pools.application),
                        () -> true,
                        () -> new TransactionConnection(pools.application, Stage.TTL).rowLocks(),
                        OpenTransactions.boundUnder(pools.application),
                        pools.application)));
        sql = new JdbcTemplate(pools.application);
    }

    @Override
    public String owner() {
        return owner;
    }

    @Override
    public RowlockClient client() {
        return client;
    }

    /** One round of the clean-up, of keys that were left a moment ago. */
    String cleanUp() {
        return ImpatientCleanUp.of(database, prefix, Duration.ofMillis(5)).cleanUp();
    }

    /** As if a day had passed since a transaction relied on them, except for those that a session still has locked. */
    void ageTokens() {
        String idle = "SELECT lock_key FROM %s FOR UPDATE SKIP LOCKED".formatted(prefix.of(Table.FENCE));
        String age =
                "UPDATE %s SET seen_at = seen_at - INTERVAL 1 DAY WHERE lock_key = ?".formatted(prefix.of(Table.FENCE));
        new TransactionTemplate(transactions)
                .executeWithoutResult(
                        status -> sql.queryForList(idle, byte[].class).forEach(key -> sql.update(age, (Object) key)));
    }

    /** @return how many rows were removed */
    int cleanUpIdleTokens() {
        return ImpatientCleanUp.ofTokens(database, prefix, Duration.ofDays(1)).getAsInt();
    }

    @Override
    public void close() {
        client.close();
        namedLocks.close();
    }
}
