package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.JdbcText.MICROS;
import static io.rowlock.store.jdbc.JdbcText.NOW;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.TablePrefix;
import io.rowlock.store.jdbc.queue.QueueName;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The statements that carry out several changes of leases as one transaction and in one packet. Their values are numbers and
 * hexadecimal digits.
 *
 * <p>They do to each gate what {@link LeaseSql#acquireExclusive} and {@link LeaseSql#releaseAndAskForWaiters} do, but wait for no
 * row lock: a change whose row is locked, or not as the change needs it, is left out. The transaction never waits for its
 * client, so its row locks last no longer than the packet runs, even if the client stands still. Late or no answer: as for
 * these statements, since each change still names what it writes to, by a condition, a nonce or a fence.
 */
final class LeasePacketSql {
    /** With that many of the longest keys, what MySQL joins stays below the 65,536 characters of the hint; MariaDB joins more. */
    static final int MOST_CHANGES = 64;

    private final String table;

    LeasePacketSql(TablePrefix prefix) {
        table = prefix.lockTable();
    }

    /**
     * @param schema where the table is
     * @param changes not empty, each of another key
     * @return statements of which the last but one answers, for each gate that was changed, its key in hexadecimal digits, its
     *     fence, whether the key has ever had readers, and whether others wait in the queue of the key
     */
    String text(String schema, List<LeaseChange> changes) {
        String keys = list(changes, change -> "x'" + change.key() + "'");
        return """
                START TRANSACTION;
                SELECT /*+ SET_VAR(group_concat_max_len = 65536) */ GROUP_CONCAT(HEX(lock_key)) INTO @rowlock_keys FROM %1$s FORCE INDEX (PRIMARY)
                WHERE slot = 0 AND lock_key IN (%2$s) AND (%3$s) FOR UPDATE SKIP LOCKED;
                UPDATE (SELECT * FROM (%4$s) AS c WHERE FIND_IN_SET(c.h, @rowlock_keys) LIMIT %5$d) AS w
                    STRAIGHT_JOIN %1$s AS l FORCE INDEX (PRIMARY) ON l.lock_key = w.k AND l.slot = 0
                SET l.owner = w.o,
                    l.nonce = IF(w.t = 0, l.nonce, w.n),
                    l.fence = IF(w.t = 0, l.fence, GREATEST(l.fence + %6$d, %7$s)),
                    l.acquired_at = IF(w.t = 0, l.acquired_at, %8$s),
                    l.expires_at = IF(w.t = 0, '1970-01-01', %8$s + INTERVAL w.t MICROSECOND);
                SELECT HEX(lock_key), fence, shared, IS_FREE_LOCK(%9$s) = 0
                FROM %1$s FORCE INDEX (PRIMARY)
                WHERE slot = 0 AND lock_key IN (%2$s) AND FIND_IN_SET(HEX(lock_key), @rowlock_keys);
                COMMIT""".formatted(
                        table,
                        keys,
                        conditions(changes),
                        rows(changes),
                        changes.size(),
                        Lease.TOKENS,
                        MICROS,
                        NOW,
                        queueName(schema));
    }

    /** What lets a gate be changed: for a take that its last lease was released, for a release that the lease is there. */
    private static String conditions(List<LeaseChange> changes) {
        List<LeaseChange> takes = changes.stream().filter(LeaseChange::takes).toList();
        List<LeaseChange> releases =
                changes.stream().filter(change -> !change.takes()).toList();
        String taken = "expires_at = '1970-01-01' AND lock_key IN (%s)"
                .formatted(list(takes, change -> "x'" + change.key() + "'"));
        String released = "expires_at > '1970-01-01' AND (lock_key, fence) IN (%s)"
                .formatted(list(releases, change -> "(x'" + change.key() + "', " + change.fence() + ")"));
        return takes.isEmpty() ? released : releases.isEmpty() ? taken : taken + " OR " + released;
    }

    private static String rows(List<LeaseChange> changes) {
        return changes.stream()
                .map(change -> "SELECT x'%1$s' AS k, '%1$s' AS h, _utf8mb4 x'%2$s' AS o, %3$d AS n, %4$d AS t"
                        .formatted(change.key(), change.owner(), change.nonce(), change.ttlMicros()))
                .collect(Collectors.joining(" UNION ALL "));
    }

    private static String list(List<LeaseChange> changes, Function<LeaseChange, String> text) {
        return changes.stream().map(text).collect(Collectors.joining(", "));
    }

    private String queueName(String schema) {
        String before = HexFormat.of().formatHex(QueueName.before(schema, table).getBytes(UTF_8));
        return "CONCAT('%s', LEFT(SHA2(CONCAT(x'%s', lock_key), 256), %d))"
                .formatted(QueueName.PREFIX, before, QueueName.HASH_DIGITS);
    }
}
