package io.rowlock.store.jdbc.queue;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The named lock behind the queue of a key. Named locks are the server's, not a schema's, and take 64 characters of
 * which case does not count; so schema, table and key go into a hash.
 */
record QueueName(String table, String key) {
    private static final int HASH_BYTES = 20;

    /** Only copied: to look one up takes longer than to use it. */
    private static final MessageDigest SHA_256 = newSha256();

    String in(String schema) {
        byte[] hash = sha256((schema + '/' + table + '/' + key).getBytes(UTF_8));
        return "rowlock:" + HexFormat.of().formatHex(hash, 0, HASH_BYTES);
    }

    private static byte[] sha256(byte[] text) {
        try {
            return ((MessageDigest) SHA_256.clone()).digest(text);
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("The platform's digests can be copied", e);
        }
    }

    private static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
