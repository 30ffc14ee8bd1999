package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.MICROS;
import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.micros;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.jdbc.lease.LeasePacket.Change;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The statements that carry out several changes of leases as one transaction and in one packet. Their values are numbers and
 * hexadecimal digits.
 *
 * <p>They do to each gate what {@link LeaseSql#acquireExclusive} and {@link LeaseSql#releaseAndAskForWaiters} do. The first of them
 * locks the gates of all changes, or fails at once; the others find them locked and as the first one answered. Only a gate that
 * another session creates in between is locked by the others alone, which the number of rows they match shows. The transaction never waits for its client, so its row locks last no longer than the packet runs, even if the client stands still. Late
 * or no answer: as for the single statements, since each change still names what it writes to, by a condition, a nonce or a fence.
 *
 * @param table the lock table
 */
record LeasePacketSql(String table) {
    private static final String NEXT_FENCE = "GREATEST(fence + %s, @rowlock_now)".formatted(Lease.TOKENS);

    /**
     * Fails with a locked row if another transaction has one of the gates.
     *
     * @param changes not empty, each of another key
     * @return statements of which one answers, with the gates before the changes: the key in hexadecimal digits, the fence, the
     *     fence of a lease that is acquired now, whether the key has ever had readers, whether the last lease was released, and whether
     *     others wait in the queue of a key whose lease was not
     */
    String text(List<Change> changes) {
        List<LeaseRequest> requests = requests(changes);
        List<Lease> releases = changes.stream()
                .flatMap(change -> Stream.ofNullable(change.lease))
                .toList();
        return """
                START TRANSACTION;
                SET @rowlock_now = %1$s;
                SELECT HEX(lock_key), fence, %2$s, shared, expires_at = '1970-01-01',
                       expires_at > '1970-01-01' AND IS_FREE_LOCK(%3$s) = 0
                FROM %4$s FORCE INDEX (PRIMARY) WHERE slot = 0 AND lock_key IN (%5$s) FOR UPDATE NOWAIT;
                %6$s%7$sCOMMIT AND NO CHAIN NO RELEASE""".formatted(
                        MICROS,
                        NEXT_FENCE,
                        NamedLocks.name(table, "lock_key"),
                        table,
                        keysOf(changes),
                        requests.isEmpty() ? "" : acquire(requests),
                        releases.isEmpty() ? "" : release(releases));
    }

    /** Locks nothing for longer than it runs. @return a statement that answers with the keys, in hexadecimal digits, whose gates are not locked */
    String unlocked(List<Change> changes) {
        return "SELECT HEX(lock_key) FROM %s FORCE INDEX (PRIMARY) WHERE slot = 0 AND lock_key IN (%s) FOR UPDATE SKIP LOCKED"
                .formatted(table, keysOf(changes));
    }

    /** Locks nothing. @return a statement that answers with the gates: the key in hexadecimal digits, the fence, the nonce, whether the key has ever had readers, and whether the last lease was not released */
    String gates(List<Change> changes) {
        return "SELECT HEX(lock_key), fence, nonce, shared, expires_at > '1970-01-01' FROM %s FORCE INDEX (PRIMARY) WHERE slot = 0 AND lock_key IN (%s)"
                .formatted(table, keysOf(changes));
    }

    /**
     * Share-locks the floor, then locks the new gates, of keys that had none a moment ago, as {@link LeaseSql#createAcquired} does;
     * each has the nonce of its attempt. Fails with a duplicate, and creates none, if one of them exists by now.
     *
     * @return statements of which one answers, as {@link #gates}
     */
    String create(List<Change> changes) {
        String rows = requests(changes).stream()
                .sorted(Comparator.comparing(LeaseRequest::key))
                .map(request -> "SELECT %s AS lock_key, _utf8mb4 %s AS owner, %s AS nonce, %s AS ttl"
                        .formatted(text(request.key()), text(request.owner()), request.nonce(), micros(request.ttl())))
                .collect(Collectors.joining(" UNION ALL "));
        return """
                INSERT INTO %1$s (lock_key, slot, shared, owner, nonce, fence, acquired_at, expires_at)
                SELECT n.lock_key, 0, 0, n.owner, n.nonce, GREATEST(f.fence, %2$s) + %4$s, %3$s, %3$s + INTERVAL n.ttl MICROSECOND
                FROM (SELECT COALESCE(MAX(fence), 0) AS fence FROM %1$s WHERE lock_key = '' AND slot = 0 LOCK IN SHARE MODE) f
                CROSS JOIN (%5$s) n;
                %6$s""".formatted(table, MICROS, NOW, Lease.TOKENS, rows, gates(changes));
    }

    private static List<LeaseRequest> requests(List<Change> changes) {
        return changes.stream()
                .flatMap(change -> Stream.ofNullable(change.request))
                .toList();
    }

    private String acquire(List<LeaseRequest> requests) {
        String keys = joined(requests, request -> text(request.key()));
        return """
                UPDATE %1$s FORCE INDEX (PRIMARY)
                SET owner = %2$s, nonce = %3$s, fence = %4$s, acquired_at = %5$s, expires_at = %5$s + INTERVAL %6$s MICROSECOND
                WHERE slot = 0 AND lock_key IN (%7$s) AND expires_at = '1970-01-01';
                """.formatted(
                        table,
                        ofEach(requests, keys, request -> "_utf8mb4 " + text(request.owner())),
                        ofEach(requests, keys, request -> Long.toString(request.nonce())),
                        NEXT_FENCE,
                        NOW,
                        ofEach(requests, keys, request -> Long.toString(micros(request.ttl()))),
                        keys);
    }

    private String release(List<Lease> leases) {
        return """
                UPDATE %s FORCE INDEX (PRIMARY) SET owner = '', expires_at = '1970-01-01'
                WHERE slot = 0 AND lock_key IN (%s) AND (lock_key, fence) IN (%s) AND expires_at > '1970-01-01';
                """.formatted(
                        table,
                        joined(leases, lease -> text(lease.key())),
                        joined(leases, lease -> "(%s, %s)".formatted(text(lease.key()), lease.fence())));
    }

    /** An expression of each row's own value, or of the one that all have. */
    private static String ofEach(List<LeaseRequest> requests, String keys, Function<LeaseRequest, String> value) {
        List<String> values = requests.stream().map(value).distinct().toList();
        return values.size() == 1
                ? values.get(0)
                : "ELT(FIELD(lock_key, %s), %s)".formatted(keys, joined(requests, value));
    }

    private static String keysOf(List<Change> changes) {
        return joined(changes, change -> "x'" + change.hex + "'");
    }

    private static <T> String joined(List<T> all, Function<T, String> each) {
        return all.stream().map(each).collect(Collectors.joining(", "));
    }

    /** The bytes of a text, in hexadecimal digits. */
    private static String text(String text) {
        return "x'" + HexFormat.of().formatHex(text.getBytes(UTF_8)) + "'";
    }
}
