package io.rowlock.benchmark.contender;

import io.rowlock.benchmark.server.Servers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The server's own named locks: GET_LOCK and RELEASE_LOCK, without token, ttl or anything written. */
final class RawGetLock extends RawLocks {

    RawGetLock(Servers servers, int threads) {
        super(servers, threads);
    }

    @Override
    Worker worker(Connection connection) throws SQLException {
        return new RawWorker(connection);
    }

    private static final class RawWorker implements Worker {
        private final Connection connection;
        private final PreparedStatement lock;
        private final PreparedStatement unlock;
        private String held = "";

        RawWorker(Connection connection) throws SQLException {
            this.connection = connection;
            lock = connection.prepareStatement("SELECT GET_LOCK(?, " + PATIENCE_SECONDS + ")");
            unlock = connection.prepareStatement("SELECT RELEASE_LOCK(?)");
        }

        @Override
        public void lock(String key) throws SQLException {
            expectOne(lock, key);
            held = key;
        }

        @Override
        public void unlock() throws SQLException {
            expectOne(unlock, held);
        }

        private static void expectOne(PreparedStatement statement, String key) throws SQLException {
            statement.setString(1, key);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next() || row.getInt(1) != 1) {
                    throw new IllegalStateException("Refused: " + key);
                }
            }
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
