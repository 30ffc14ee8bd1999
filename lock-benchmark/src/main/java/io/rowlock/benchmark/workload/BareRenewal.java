package io.rowlock.benchmark.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.benchmark.server.Pools;
import io.rowlock.benchmark.server.Servers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** The floor of a renewal: Rowlock's batched UPDATE, prepared once, on one connection. */
final class BareRenewal implements RenewalTick.HeldLocks {
    private static final String HOLD = """
            INSERT INTO rowlock_lock (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
            VALUES (?, 0, 0, 'raw', 1, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL 10 MINUTE)""";
    private static final String RENEW = """
            UPDATE rowlock_lock SET expires_at = GREATEST(expires_at, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)
            WHERE (lock_key, slot, fence) IN ((?, ?, ?)%s) AND expires_at > UTC_TIMESTAMP(6)""".formatted(", (?, ?, ?)".repeat(StoreRenewal.BATCH - 1));

    private final HikariDataSource pool;
    private final Connection connection;
    private final PreparedStatement renew;
    private List<String> held = List.of();

    BareRenewal(Servers servers) throws SQLException {
        pool = Pools.open(servers, 1);
        connection = pool.getConnection();
        renew = connection.prepareStatement(RENEW);
    }

    @Override
    public String name() {
        return "raw-lease";
    }

    @Override
    public void hold(List<String> keys) throws SQLException {
        held = keys;
        connection.setAutoCommit(false);
        try (PreparedStatement hold = connection.prepareStatement(HOLD)) {
            for (String key : keys) {
                hold.setBytes(1, key.getBytes(UTF_8));
                hold.executeUpdate();
            }
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    @Override
    public void renewAll() throws SQLException {
        for (int from = 0; from < held.size(); from += StoreRenewal.BATCH) {
            renew.setLong(1, RenewalTick.TTL.toNanos() / 1_000);
            for (int i = 0; i < StoreRenewal.BATCH; i++) {
                renew.setBytes(3 * i + 2, held.get(from + i).getBytes(UTF_8));
                renew.setLong(3 * i + 3, 0);
                renew.setLong(3 * i + 4, 1);
            }
            if (renew.executeUpdate() != StoreRenewal.BATCH) {
                throw new IllegalStateException("A lease was not renewed");
            }
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        pool.close();
    }
}
