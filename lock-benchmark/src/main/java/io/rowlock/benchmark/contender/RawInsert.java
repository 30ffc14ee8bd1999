package io.rowlock.benchmark.contender;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.benchmark.server.Servers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The floor of a key that is used once: an INSERT and a DELETE, each committed, and nothing around them. */
final class RawInsert extends RawLocks {
    RawInsert(Servers servers, int threads) {
        super(servers, threads);
    }

    @Override
    Worker worker(Connection connection) throws SQLException {
        return new RawWorker(connection);
    }

    private static final class RawWorker implements Worker {
        private final Connection connection;
        private final PreparedStatement acquire;
        private final PreparedStatement release;

        RawWorker(Connection connection) throws SQLException {
            this.connection = connection;
            acquire = connection.prepareStatement("INSERT INTO benchmark_row (lock_key) VALUES (?)");
            release = connection.prepareStatement("DELETE FROM benchmark_row WHERE lock_key = ?");
        }

        @Override
        public void lock(String key) throws SQLException {
            byte[] name = key.getBytes(UTF_8);
            acquire.setBytes(1, name);
            acquire.executeUpdate();
            release.setBytes(1, name);
        }

        @Override
        public void unlock() throws SQLException {
            release.executeUpdate();
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
