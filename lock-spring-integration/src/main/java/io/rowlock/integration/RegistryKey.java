package io.rowlock.integration;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/** The lock key of what Spring Integration locks: correlation keys, roles, and paths of files, which may be long. */
final class RegistryKey {
    /** Leaves room for {@code rowlock.key-prefix}. */
    private static final int MOST_BYTES = 200;

    private RegistryKey() {}

    static String of(String region, Object lockKey) {
        String key = region + ":" + text(lockKey);
        return key.getBytes(UTF_8).length <= MOST_BYTES ? key : region + ":sha256:" + digest(key);
    }

    private static String text(Object lockKey) {
        if (lockKey instanceof CharSequence
                || lockKey instanceof Number
                || lockKey instanceof UUID
                || lockKey instanceof Boolean
                || lockKey instanceof Character) {
            return lockKey.toString();
        }
        if (lockKey instanceof Enum<?> constant) {
            return constant.name();
        }
        throw new IllegalArgumentException(
                "A lock key must be a string, a number, a UUID or an enum constant, but is a %s, whose text may differ between processes"
                        .formatted(lockKey == null ? null : lockKey.getClass().getName()));
    }

    private static String digest(String key) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
