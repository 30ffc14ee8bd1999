package io.rowlock.stress;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.client.Fences;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.LeasesInPackets;
import io.rowlock.store.jdbc.lease.NamedLocks;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TransactionConnection;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** A process as a program sees it: a client, and transactions that its locks guard. */
final class ClientNode implements AutoCloseable {
    private static final Duration TTL = Duration.ofMillis(240);

    final String name;
    final Sessions sessions;
    final Ledger ledger;
    private final HikariDataSource pool;
    private final NamedLocks namedLocks;
    private final RowlockClient client;

    ClientNode(TestSchema schema, String name, String isolation, Oracle oracle) {
        this.name = name;
        pool = Pools.locks(schema, 14, "");
        sessions = new Sessions(pool);
        namedLocks = new NamedLocks(sessions, 4, StoreNode.QUERY_TIMEOUT);
        LockDatabase database = new LockDatabase(sessions, 8, StoreNode.QUERY_TIMEOUT);
        LockStore store = LeasesInPackets.store(database, StoreNode.PREFIX, namedLocks, database);
        client = RowlockClient.builder(new UnevenStore(store))
                .ttl(TTL)
                .waitTime(Duration.ofMillis(300))
                .owner(name)
                .instrumentation(handoffsCountedBy(oracle))
                .build();
        ledger = new Ledger(schema, isolation, oracle);
        CommitCheck fence = store.commitCheck(ledger.sessions()).orElseThrow();
        ledger.guardedBy(Fences.of(
                client,
                Map.of(LeaseStore.NAME, fence),
                () -> new TransactionConnection(ledger.sessions(), StoreNode.QUERY_TIMEOUT).rowLocks()));
    }

    /** So that a report says whether the order of tokens inside a process was put to the test. */
    private static LockInstrumentation handoffsCountedBy(Oracle oracle) {
        return new LockInstrumentation() {
            @Override
            public void count(Incident what, ObservedLock lock) {
                if (what == Incident.HANDED_ON) {
                    oracle.count(
                            "grants without a statement, " + lock.mode().name().toLowerCase(Locale.ROOT));
                }
            }
        };
    }

    ClientActor actor(Keys keys, Oracle oracle, Dice dice) {
        return new ClientActor(name, client, keys, ledger, oracle, dice);
    }

    @Override
    public void close() {
        client.close();
        namedLocks.close();
        ledger.close();
        pool.close();
    }
}
