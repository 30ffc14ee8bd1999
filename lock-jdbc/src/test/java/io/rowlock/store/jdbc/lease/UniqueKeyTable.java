package io.rowlock.store.jdbc.lease;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import java.util.zip.CRC32;
import javax.sql.DataSource;

/** The unique keys of one test class, seen past the store. */
public record UniqueKeyTable(LeaseTable server) {

    static UniqueKeyStore store(DataSource dataSource) {
        return new UniqueKeyStore(new LockDatabase(dataSource, 8, LeaseTable.QUERY_TIMEOUT), LeaseTable.PREFIX, null);
    }

    public static Lease acquire(LockStore at, String key) {
        return LeaseTable.granted(LeaseTable.attempt(at, key));
    }

    /** Makes a lease run out now. */
    public void expire(Lease lease) {
        assertThat(server.jdbc()
                        .update(
                                "UPDATE rowlock_unique_key SET expires_at = UTC_TIMESTAMP(6)"
                                        + " WHERE lock_key = ? AND fence = ?",
                                bytes(lease.key()),
                                lease.fence()))
                .isEqualTo(1);
    }

    void awaitExpiry(Lease lease) {
        LeaseTable.await(() -> server.count(
                        "SELECT COUNT(*) FROM rowlock_unique_key WHERE lock_key = ? AND expires_at > UTC_TIMESTAMP(6)",
                        (Object) bytes(lease.key()))
                == 0);
    }

    public int rows(String key) {
        return server.count("SELECT COUNT(*) FROM rowlock_unique_key WHERE lock_key = ?", (Object) bytes(key));
    }

    /** Keeps a key's row locked. */
    public static void lockRow(LeaseTable.OpenTransaction transaction, String key, String how) {
        assertThat(transaction
                        .jdbc()
                        .queryForList(
                                "SELECT fence FROM rowlock_unique_key WHERE lock_key = ? " + how, Long.class, (Object)
                                        bytes(key)))
                .hasSize(1);
    }

    /** Keeps the stripe of a key locked, as a statement that acquires a key does while it runs. */
    static void lockStripe(LeaseTable.OpenTransaction transaction, String key) {
        assertThat(transaction
                        .jdbc()
                        .queryForList(
                                "SELECT stripe FROM rowlock_unique_key_stripe WHERE stripe = ? FOR UPDATE",
                                Integer.class,
                                stripe(key)))
                .hasSize(1);
    }

    /** Another key with the same stripe. */
    static String neighbour(String key) {
        String other = LeaseTable.freshKey();
        while (stripe(other) != stripe(key)) {
            other = LeaseTable.freshKey();
        }
        return other;
    }

    private static long stripe(String key) {
        CRC32 crc = new CRC32();
        crc.update(bytes(key));
        return crc.getValue() & 1_023;
    }

    public static byte[] bytes(String key) {
        return key.getBytes(UTF_8);
    }
}
