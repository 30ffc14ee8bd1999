package io.rowlock.benchmark.contender;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.benchmark.server.Servers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The floor of a lease: the two UPDATEs of strategy {@code lease}, each committed, and nothing around them. */
final class RawLease extends RawLocks {
    private static final String NOW = "UTC_TIMESTAMP(6)";
    private static final String CREATE = """
            INSERT INTO rowlock_lock (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
            VALUES (?, 0, 0, '', TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %1$s), %1$s, '1970-01-01')
            ON DUPLICATE KEY UPDATE shared = shared""".formatted(NOW);
    private static final String ACQUIRE = """
            UPDATE rowlock_lock
            SET owner = ?, fence = LAST_INSERT_ID(
                    GREATEST(fence + 1, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %1$s)) * 2 + shared) DIV 2,
                acquired_at = %1$s, expires_at = %1$s + INTERVAL ? MICROSECOND
            WHERE lock_key = ? AND slot = 0 AND expires_at <= %1$s""".formatted(NOW);
    private static final String RELEASE = """
            UPDATE rowlock_lock SET expires_at = '1970-01-01', owner = ''
            WHERE lock_key = ? AND slot = 0 AND fence = ? AND expires_at > '1970-01-01'""";
    private static final long TTL_MICROS = 30_000_000;

    RawLease(Servers servers, int threads) {
        super(servers, threads);
    }

    @Override
    Worker worker(Connection connection) throws SQLException {
        return new RawWorker(connection);
    }

    private static final class RawWorker implements Worker {
        private final Connection connection;
        private final String owner = "raw-" + Thread.currentThread().getName();
        private final PreparedStatement acquire;
        private final PreparedStatement release;
        private byte[] key = {};
        private long token;

        RawWorker(Connection connection) throws SQLException {
            this.connection = connection;
            acquire = connection.prepareStatement(ACQUIRE, Statement.RETURN_GENERATED_KEYS);
            release = connection.prepareStatement(RELEASE);
        }

        @Override
        public void prepare(String name) throws SQLException {
            try (PreparedStatement create = connection.prepareStatement(CREATE)) {
                create.setBytes(1, name.getBytes(UTF_8));
                create.executeUpdate();
            }
        }

        @Override
        public void lock(String name) throws SQLException {
            key = name.getBytes(UTF_8);
            acquire.setString(1, owner);
            acquire.setLong(2, TTL_MICROS);
            acquire.setBytes(3, key);
            if (acquire.executeUpdate() != 1) {
                throw new IllegalStateException("Busy: " + name);
            }
            try (ResultSet keys = acquire.getGeneratedKeys()) {
                keys.next();
                token = keys.getLong(1) >> 1;
            }
        }

        @Override
        public void unlock() throws SQLException {
            release.setBytes(1, key);
            release.setLong(2, token);
            release.executeUpdate();
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
