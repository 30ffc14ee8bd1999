package io.rowlock.store.redis;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What tests of other packages see of the store. */
public final class RedisInsides {
    private RedisInsides() {}

    /** What the scripts are called, by their digests. */
    public static Map<String, String> scriptNames() {
        return Arrays.stream(Script.values())
                .collect(Collectors.toUnmodifiableMap(
                        script -> script.digest, script -> script.name().toLowerCase(Locale.ROOT)));
    }

    public static List<String> scripts() {
        return Arrays.stream(Script.values()).map(script -> script.source).toList();
    }

    /** How many threads of that process wait for a message. */
    public static int waiting(RedisLockStore store) {
        return store.inbox.tickets.size();
    }
}
