package io.rowlock.stress;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.cleanup.ImpatientCleanUp;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.database.TestSchema;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** What happens to the tables besides: clean-up, sessions that lock rows, killed sessions, a clock set back. */
final class Disturber implements AutoCloseable {
    private static final Duration KEEP_IDLE = Duration.ofMillis(20);

    private final Strategy strategy;
    private final Oracle oracle;
    private final Keys keys;
    private final HikariDataSource pool;
    private final HikariDataSource yesterday;
    private final Maintenance cleanUp;
    private final LockStore today;
    private final LockStore late;

    Disturber(Strategy strategy, TestSchema schema, Keys keys, Oracle oracle) {
        this.strategy = strategy;
        this.oracle = oracle;
        this.keys = keys;
        pool = Pools.locks(schema, 10, "");
        yesterday = Pools.locks(schema, 2, ", timestamp = UNIX_TIMESTAMP() - 86400");
        LockDatabase database = new LockDatabase(pool, 8, StoreNode.QUERY_TIMEOUT);
        cleanUp = ImpatientCleanUp.of(database, StoreNode.PREFIX, KEEP_IDLE);
        today = strategy.store(database);
        late = strategy.store(new LockDatabase(yesterday, 8, StoreNode.QUERY_TIMEOUT));
    }

    void cleanUp(Dice dice) {
        try {
            String done = cleanUp.cleanUp();
            oracle.count("rounds of clean-up");
            for (String rows : done.isEmpty() ? new String[0] : done.split(", ", -1)) {
                String[] words = rows.split(": ", 2);
                oracle.count("removed by clean-up: " + words[0], Long.parseLong(words[1]));
            }
        } catch (LockStoreException e) {
            oracle.count("clean-up failed: " + Errors.name(e));
            if (Errors.isDeadlock(e)) {
                oracle.violation("deadlock surfaced", "clean-up: " + e.getMessage());
            }
        }
        dice.pause(5, 30);
    }

    /**
     * Locks the gate or the readers of a key for longer than their ttl now and then. Keys whose leases are renewed are the
     * best ones: a batch that waits for one row is late for all that come behind it.
     */
    void hogRows(Dice dice, List<String> renewedKeys) {
        String how = dice.percent(70) ? "FOR UPDATE" : "LOCK IN SHARE MODE";
        String select = "SELECT fence FROM %s WHERE %s %s".formatted(strategy.table, strategy.someRows(dice), how);
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement(select)) {
                statement.setBytes(1, bytes(victim(dice, renewedKeys)));
                statement.executeQuery();
                oracle.count("rows hogged");
                dice.pause(20, dice.percent(60) ? 120 : 400);
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            oracle.count("hog failed: " + Errors.name(e));
        }
        dice.pause(0, 60);
    }

    private String victim(Dice dice, List<String> renewedKeys) {
        if (!renewedKeys.isEmpty() && dice.percent(60)) {
            return dice.of(renewedKeys);
        }
        return dice.of(dice.percent(30) ? keys.hot() : keys.cold());
    }

    void kill(Dice dice, List<Sessions> victims) {
        dice.pause(100, 500);
        Sessions sessions = dice.of(victims);
        List<Long> ids = sessions.ids();
        if (ids.isEmpty()) {
            return;
        }
        long id = dice.of(ids);
        sessions.forget(id);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("KILL " + id);
            oracle.count("sessions killed");
        } catch (SQLException e) {
            oracle.count("sessions gone before they were killed");
        }
    }

    /**
     * Takes a key of its own, lets the clean-up remove it, and takes it again by a clock that is a day behind: only its
     * tokens are judged.
     */
    void setClockBack(Dice dice, String key) {
        try {
            long before = token(dice, today, key);
            int removed = 0;
            while (exists(key) && removed++ < 200) {
                dice.pause(1, 10);
            }
            long after = token(dice, late, key);
            if (before == 0 || after == 0) {
                return;
            }
            oracle.count("tokens judged with the clock set back");
            if (after <= before) {
                oracle.violation("token did not grow", "%s: %d after %d".formatted(key, after, before));
            }
        } catch (LockStoreException | SQLException e) {
            oracle.count("clock set back: " + Errors.name(e));
        }
    }

    private static long token(Dice dice, LockStore store, String key) {
        LeaseRequest request = new LeaseRequest(
                key, LockMode.EXCLUSIVE, "clock", StoreNode.TTL, dice.nonce(), StoreNode.TIME_LIMIT, 0);
        if (store.tryAcquire(request) instanceof Attempt.Granted granted) {
            Lease lease = granted.lease();
            store.release(lease);
            return lease.fence();
        }
        return 0;
    }

    private boolean exists(String key) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT 1 FROM " + strategy.table + " WHERE lock_key = ?")) {
            statement.setBytes(1, bytes(key));
            return statement.executeQuery().next();
        }
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    /** @return how many deadlocks the server has resolved since it was started, its other users' included */
    long deadlocks() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            boolean mariaDb =
                    connection.getMetaData().getDatabaseProductVersion().contains("MariaDB");
            String query = mariaDb
                    ? "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'INNODB_DEADLOCKS'"
                    : "SELECT count FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'";
            try (var row = statement.executeQuery(query)) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    @Override
    public void close() {
        pool.close();
        yesterday.close();
    }
}
