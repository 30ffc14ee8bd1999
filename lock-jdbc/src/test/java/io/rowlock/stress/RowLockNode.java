package io.rowlock.stress;

import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A process that takes row locks, and whose sessions can be killed. */
final class RowLockNode implements AutoCloseable {
    static final Duration TTL = Duration.ofSeconds(1);
    private static final int CONNECTIONS = 16;

    final String name;
    final RowLockStore store;
    private final HikariDataSource pool;
    private final HikariDataSource statements;
    private final JdbcTemplate killer;
    private final Oracle oracle;
    private final Set<Lease> renewed = ConcurrentHashMap.newKeySet();
    private final Queue<Lease> left = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<Long> lastSession = ThreadLocal.withInitial(() -> 0L);

    RowLockNode(TestSchema schema, String name, DataSource killer, Oracle oracle) {
        this.name = name;
        this.oracle = oracle;
        this.killer = new JdbcTemplate(killer);
        pool = Pools.rowLocks(schema, CONNECTIONS);
        statements = Pools.locks(schema, 8, "");
        LockDatabase database = new LockDatabase(statements, 8, StoreNode.QUERY_TIMEOUT);
        store = new RowLockStore(database, noting(pool), CONNECTIONS, StoreNode.PREFIX, true);
    }

    private DataSource noting(DataSource source) {
        return new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                lastSession.set(
                        connection.unwrap(JdbcConnection.class).getSession().getThreadId());
                return connection;
            }
        };
    }

    CommitCheck fence(Ledger ledger) {
        return store.commitCheck(ledger.sessions()).orElseThrow();
    }

    /** @return the session that the store was given last on this thread */
    long session() {
        return lastSession.get();
    }

    void kill(long session) {
        try {
            killer.execute("KILL " + session);
            oracle.count("sessions killed");
        } catch (RuntimeException e) {
            oracle.count("sessions gone before they were killed");
        }
    }

    void startRenewing(Lease lease) {
        renewed.add(lease);
    }

    void stopRenewing(Lease lease) {
        renewed.remove(lease);
    }

    void renew(Dice dice) {
        List<Lease> leases = List.copyOf(renewed);
        Map<Lease, Renewal> outcome = store.renew(leases, TTL);
        outcome.values().forEach(each -> oracle.count("renewals " + each));
        dice.pause(50, 250);
    }

    /** As a holder that died: the lock stays until the server has heard nothing of its session for the ttl. */
    void leave(Lease lease) {
        left.add(lease);
    }

    void releaseWhatWasLeft() {
        left.forEach(store::release);
    }

    int connectionsInUse() {
        return pool.getHikariPoolMXBean().getActiveConnections();
    }

    @Override
    public void close() {
        store.close();
        pool.close();
        statements.close();
    }
}
