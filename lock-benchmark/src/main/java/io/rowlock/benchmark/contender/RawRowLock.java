package io.rowlock.benchmark.contender;

import io.rowlock.benchmark.server.Servers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** The floor of a row lock: SELECT … FOR UPDATE of a row that is there, and COMMIT. */
final class RawRowLock extends RawLocks {
    private static final String CREATE = """
            INSERT INTO benchmark_row (lock_key) VALUES (?) ON DUPLICATE KEY UPDATE lock_key = lock_key""";
    private static final String LOCK = "SELECT lock_key FROM benchmark_row WHERE lock_key = ? FOR UPDATE";

    RawRowLock(Servers servers, int threads) {
        super(servers, threads);
    }

    @Override
    Worker worker(Connection connection) throws SQLException {
        return new RawWorker(connection);
    }

    private static final class RawWorker implements Worker {
        private final Connection connection;
        private final PreparedStatement lock;

        RawWorker(Connection connection) throws SQLException {
            this.connection = connection;
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET SESSION innodb_lock_wait_timeout = " + PATIENCE_SECONDS);
            }
            connection.setAutoCommit(false);
            lock = connection.prepareStatement(LOCK);
        }

        @Override
        public void prepare(String key) throws SQLException {
            try (PreparedStatement create = connection.prepareStatement(CREATE)) {
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
