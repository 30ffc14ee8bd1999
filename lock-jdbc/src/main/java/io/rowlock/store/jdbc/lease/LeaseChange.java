package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.micros;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.jdbc.session.JdbcText;
import java.util.HexFormat;

/**
 * What one thread wants done to the gate of a key: to take the key if its last lease was released, or to release a lease. In
 * the form in which a packet carries it.
 *
 * @param key its bytes, in hexadecimal digits
 * @param owner the bytes of the owner in hexadecimal digits, none for a release
 * @param nonce of the attempt
 * @param ttlMicros for how long the key is taken; 0 for a release
 * @param fence of the lease that is released
 */
record LeaseChange(String key, String owner, long nonce, long ttlMicros, long fence) {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    static LeaseChange take(LeaseRequest request) {
        return new LeaseChange(
                HEX.formatHex(JdbcText.key(request.key())),
                HEX.formatHex(request.owner().getBytes(UTF_8)),
                request.nonce(),
                micros(request.ttl()),
                0);
    }

    static LeaseChange release(Lease lease) {
        return new LeaseChange(HEX.formatHex(JdbcText.key(lease.key())), "", 0, 0, lease.fence());
    }

    boolean takes() {
        return ttlMicros > 0;
    }
}
