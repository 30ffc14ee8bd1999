package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.MICROS;
import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.queue.QueueName;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The statements that carry out several changes of leases as one transaction and in one packet. Their values are numbers and
 * hexadecimal digits.
 *
 * <p>They do to each gate what {@link LeaseSql#acquireExclusive} and {@link LeaseSql#releaseAndAskForWaiters} do. The first of them
 * locks the gates of all changes, or fails at once; the others find them locked and as the first one answered. Only a gate that
 * another session creates in between is locked by the others alone, which the number of rows they match shows. The transaction never waits for its client, so its row locks last no longer than the packet runs, even if the client stands still. Late
 * or no answer: as for the single statements, since each change still names what it writes to, by a condition, a nonce or a fence.
 */
final class LeasePacketSql {
    private final String table;

    LeasePacketSql(TablePrefix prefix) {
        table = prefix.lockTable();
    }

    /**
     * Fails with a locked row if another transaction has one of the gates.
     *
     * @param schema where the table is
     * @param changes not empty, each of another key
     * @return statements of which one answers, with the gates before the changes: the key in hexadecimal digits, the fence, the
     *     fence of a lease that is taken now, whether the key has ever had readers, whether the last lease was released, and whether
     *     others wait in the queue of a key whose lease was not
     */
    String text(String schema, List<LeaseChange> changes) {
        List<LeaseChange> takes = changes.stream().filter(LeaseChange::takes).toList();
        List<LeaseChange> releases =
                changes.stream().filter(change -> !change.takes()).toList();
        return """
                START TRANSACTION;
                SET @rowlock_now = %1$s;
                SELECT HEX(lock_key), fence, %2$s, shared, expires_at = '1970-01-01',
                       expires_at > '1970-01-01' AND IS_FREE_LOCK(%3$s) = 0
                FROM %4$s FORCE INDEX (PRIMARY) WHERE slot = 0 AND lock_key IN (%5$s) FOR UPDATE NOWAIT;
                %6$s%7$sCOMMIT""".formatted(
                        MICROS,
                        nextFence(),
                        queueName(schema),
                        table,
                        keys(changes),
                        takes.isEmpty() ? "" : take(takes) + ";\n",
                        releases.isEmpty() ? "" : release(releases) + ";\n");
    }

    /** Locks nothing for longer than it runs. @return a statement that answers with the keys, in hexadecimal digits, whose gates are not locked */
    String unlocked(List<LeaseChange> changes) {
        return "SELECT HEX(lock_key) FROM %s FORCE INDEX (PRIMARY) WHERE slot = 0 AND lock_key IN (%s) FOR UPDATE SKIP LOCKED"
                .formatted(table, keys(changes));
    }

    /** Locks nothing. @return a statement that answers with the gates: the key in hexadecimal digits, the fence, the nonce, whether the key has ever had readers, and whether the last lease was not released */
    String gates(List<LeaseChange> changes) {
        return "SELECT HEX(lock_key), fence, nonce, shared, expires_at > '1970-01-01' FROM %s FORCE INDEX (PRIMARY) WHERE slot = 0 AND lock_key IN (%s)"
                .formatted(table, keys(changes));
    }

    private String take(List<LeaseChange> takes) {
        return """
                UPDATE %1$s FORCE INDEX (PRIMARY)
                SET owner = %2$s, nonce = %3$s, fence = %4$s, acquired_at = %5$s, expires_at = %5$s + INTERVAL %6$s MICROSECOND
                WHERE slot = 0 AND lock_key IN (%7$s) AND expires_at = '1970-01-01'""".formatted(
                        table,
                        ofEach(takes, change -> "_utf8mb4 x'" + change.owner() + "'"),
                        ofEach(takes, change -> Long.toString(change.nonce())),
                        nextFence(),
                        NOW,
                        ofEach(takes, change -> Long.toString(change.ttlMicros())),
                        keys(takes));
    }

    private String release(List<LeaseChange> releases) {
        return """
                UPDATE %s FORCE INDEX (PRIMARY) SET owner = '', expires_at = '1970-01-01'
                WHERE slot = 0 AND lock_key IN (%s) AND (lock_key, fence) IN (%s) AND expires_at > '1970-01-01'""".formatted(
                table, keys(releases), list(releases, change -> "(%s, %d)".formatted(key(change), change.fence())));
    }

    private static String nextFence() {
        return "GREATEST(fence + %s, @rowlock_now)".formatted(Lease.TOKENS);
    }

    /** An expression of each row's own value, or of the one that all have. */
    private static String ofEach(List<LeaseChange> changes, Function<LeaseChange, String> value) {
        List<String> values = changes.stream().map(value).toList();
        return values.stream().distinct().count() == 1
                ? values.get(0)
                : "ELT(FIELD(lock_key, %s), %s)".formatted(keys(changes), String.join(", ", values));
    }

    private static String keys(List<LeaseChange> changes) {
        return list(changes, LeasePacketSql::key);
    }

    private static String key(LeaseChange change) {
        return "x'" + change.key() + "'";
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
