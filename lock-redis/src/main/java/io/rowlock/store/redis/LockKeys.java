package io.rowlock.store.redis;

/**
 * The four Redis keys of a lock key. All of them have the lock key in braces, so that they are in one slot of a cluster; braces of
 * the lock key itself are escaped, or they would be mistaken for these.
 *
 * @param prefix what all keys in Redis begin with
 */
record LockKeys(String prefix) {
    private static final String SPECIAL_IN_PATTERNS = "[*?\\[\\]^\\\\-]";

    /** The key of the gate. */
    String gate(String lockKey) {
        return prefix + '{' + escaped(lockKey) + '}';
    }

    /** All four, in the order in which the scripts expect them. */
    String[] of(String... lockKeys) {
        String[] all = new String[4 * lockKeys.length];
        for (int i = 0; i < lockKeys.length; i++) {
            String gate = gate(lockKeys[i]);
            all[4 * i] = gate;
            all[4 * i + 1] = gate + ":r";
            all[4 * i + 2] = gate + ":q";
            all[4 * i + 3] = gate + ":w";
        }
        return all;
    }

    /** Returns a pattern of the gates of all lock keys that begin like that. */
    String pattern(String lockKeyPrefix) {
        return (prefix + '{' + escaped(lockKeyPrefix)).replaceAll(SPECIAL_IN_PATTERNS, "\\\\$0") + "*}";
    }

    /** The lock key of a gate. */
    String lockKey(String gate) {
        return gate.substring(prefix.length() + 1, gate.length() - 1)
                .replace("%7D", "}")
                .replace("%7B", "{")
                .replace("%25", "%");
    }

    private static String escaped(String lockKey) {
        return lockKey.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
    }
}
