package io.rowlock.store.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.Lease;
import javax.sql.DataSource;

/** The unique keys of one test class, seen past the store. */
record UniqueKeyTable(LeaseTable server) {

    static UniqueKeyStore store(DataSource dataSource) {
        return new UniqueKeyStore(new LockDatabase(dataSource, LeaseTable.QUERY_TIMEOUT, false), LeaseTable.PREFIX);
    }

    /** Makes a lease run out now. */
    void expire(Lease lease) {
        assertThat(server.jdbc()
                        .update(
                                "UPDATE rowlock_unique_key SET expires_at = UTC_TIMESTAMP(6)"
                                        + " WHERE lock_key = ? AND fence = ?",
                                lease.key().getBytes(UTF_8),
                                lease.fencingToken()))
                .isEqualTo(1);
    }

    int rows(String key) {
        return server.count("SELECT COUNT(*) FROM rowlock_unique_key WHERE lock_key = ?", (Object) key.getBytes(UTF_8));
    }
}
