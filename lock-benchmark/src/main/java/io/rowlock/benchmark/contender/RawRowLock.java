package io.rowlock.benchmark.contender;

import io.rowlock.benchmark.server.Servers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** The floor of a row lock: SELECT … FOR UPDATE of a row that is there, and COMMIT. */
final class RawRowLock extends RawLocks {
    private final Statements statements;

    /** The statements that create and lock a key. */
    enum Statements {
        ONE_ROW(
                "INSERT INTO benchmark_row (lock_key) VALUES (?) ON DUPLICATE KEY UPDATE lock_key = VALUES(lock_key)",
                "SELECT lock_key FROM benchmark_row WHERE lock_key = ? FOR UPDATE"),
        /** As strategy row-lock does: the row of the barrier is locked, does not match and is unlocked again. */
        PAST_BARRIER(
                "INSERT INTO benchmark_barrier (lock_key, slot, gate) SELECT ?, slot, gate FROM"
                        + " (SELECT -2 AS slot, 1 AS gate UNION ALL SELECT -1, 0) AS slots ON DUPLICATE KEY UPDATE gate = VALUES(gate)",
                "SELECT slot FROM benchmark_barrier FORCE INDEX (PRIMARY)"
                        + " WHERE lock_key = ? AND slot IN (-2, -1) AND gate = 1 FOR UPDATE");

        private final String create;
        private final String lock;

        Statements(String create, String lock) {
            this.create = create;
            this.lock = lock;
        }
    }

    RawRowLock(Servers servers, int threads, Statements statements) {
        super(servers, threads);
        this.statements = statements;
    }

    @Override
    Worker worker(Connection connection) throws SQLException {
        return new RawWorker(connection, statements);
    }

    private static final class RawWorker implements Worker {
        private final Connection connection;
        private final Statements statements;
        private final PreparedStatement lock;

        RawWorker(Connection connection, Statements statements) throws SQLException {
            this.connection = connection;
            this.statements = statements;
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET SESSION innodb_lock_wait_timeout = " + PATIENCE_SECONDS);
            }
            connection.setAutoCommit(false);
            lock = connection.prepareStatement(statements.lock);
        }

        @Override
        public void prepare(String key) throws SQLException {
            try (PreparedStatement create = connection.prepareStatement(statements.create)) {
                create.setString(1, key);
                create.executeUpdate();
            }
            connection.commit();
        }

        @Override
        public void lock(String key) throws SQLException {
            lock.setString(1, key);
            lock.executeQuery().close();
        }

        @Override
        public void unlock() throws SQLException {
            connection.commit();
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
