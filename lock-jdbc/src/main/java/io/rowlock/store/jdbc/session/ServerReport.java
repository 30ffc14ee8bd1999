package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Describes how the server that keeps the locks is set up, as far as its user may see.
 *
 * @param version what it is
 * @param durability its settings for commits, for people to read
 * @param cluster what it is part of
 * @param warnings what makes locks weaker than they should be, one sentence each
 */
public record ServerReport(ServerVersion version, String durability, Cluster cluster, List<String> warnings) {

    private static final String SETTINGS = """
            SHOW SESSION VARIABLES WHERE Variable_name IN ('version', 'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog',
                'gtid_slave_pos', 'max_allowed_packet', %s)""".formatted(Cluster.SETTINGS);

    /** Other channels than those of group replication, which waits for a majority. */
    private static final String SOURCES = """
            SELECT COUNT(*) FROM performance_schema.replication_connection_configuration
            WHERE channel_name NOT LIKE 'group_replication%'""";

    /**
     * Asks the server. Needs no right; what its user may not see is not warned of.
     *
     * @param database the server
     * @return what it says
     * @throws LockStoreException if it cannot be asked
     */
    public static ServerReport of(LockDatabase database) {
        return database.callInTime(session -> {
            Map<String, String> settings = new HashMap<>();
            session.query(SETTINGS, row -> settings.put(row.getString(1), String.valueOf(row.getString(2))));
            return of(settings, hasSource(session));
        });
    }

    private static boolean hasSource(Session session) throws SQLException {
        try {
            return session.query(SOURCES, row -> row.getLong(1)).get(0) > 0;
        } catch (SQLException e) {
            if (SqlFailure.of(e) == SqlFailure.NO_ANSWER) {
                throw e;
            }
            return false; // no table, no right, or a firewall that hides the schema
        }
    }

    /** @param hasSource whether it is set up to copy another server */
    static ServerReport of(Map<String, String> settings, boolean hasSource) {
        String flush = settings.getOrDefault("innodb_flush_log_at_trx_commit", "unknown");
        String sync = settings.getOrDefault("sync_binlog", "unknown");
        long packet = Long.parseLong(settings.getOrDefault("max_allowed_packet", "1048576"));
        boolean binlog = "ON".equals(settings.get("log_bin"));
        boolean replica =
                hasSource || !settings.getOrDefault("gtid_slave_pos", "").isEmpty();
        return new ServerReport(
                ServerVersion.parse(settings.getOrDefault("version", "unknown")),
                "innodb_flush_log_at_trx_commit=" + flush + (binlog ? ", sync_binlog=" + sync : ", no binary log"),
                Cluster.of(settings),
                warnings(flush, binlog ? sync : "1", replica, packet));
    }

    private static List<String> warnings(String flush, String sync, boolean replica, long packet) {
        List<String> warnings = new ArrayList<>();
        if (flush.equals("0") || flush.equals("2")) {
            warnings.add(
                    "innodb_flush_log_at_trx_commit is %s: a crash of the server%s forgets the locks of the last second, so that two can hold one; set it to 1."
                            .formatted(flush, flush.equals("2") ? "'s machine" : ""));
        }
        if (sync.equals("0")) {
            warnings.add(
                    "sync_binlog is 0: a crash of the server's machine can lose locks that replicas already have, or "
                            + "the other way round; set it to 1.");
        }
        if (replica) {
            warnings.add(
                    "The server copies another one or did so before it accepted writes: with asynchronous replication, the "
                            + "last locks before a fail-over may be unknown to it, so that two can hold one; use group replication.");
        }
        if (packet < 1_048_576) {
            warnings.add("max_allowed_packet is below 1M, so that many leases cannot be renewed together; raise it.");
        }
        return List.copyOf(warnings);
    }
}
