package io.rowlock.store.jdbc.queue;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The named lock behind the queue of a key. Named locks are the server's, not a schema's, and take 64 characters of
 * which case does not count; so schema, table and key go into a hash.
 */
public record QueueName(String table, String key) {
    /** What the named locks of queues begin with. */
    public static final String PREFIX = "rowlock:";

    /** How many hexadecimal digits of the hash follow. */
    public static final int HASH_DIGITS = 40;

    /** Only copied: to look one up takes longer than to use it. */
    private static final MessageDigest SHA_256 = newSha256();

    public String in(String schema) {
        byte[] hash = sha256((before(schema, table) + key).getBytes(UTF_8));
        return PREFIX + HexFormat.of().formatHex(hash, 0, HASH_DIGITS / 2);
    }

    /** @return what the hashed text has before the key */
    public static String before(String schema, String table) {
        return schema + '/' + table + '/';
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
