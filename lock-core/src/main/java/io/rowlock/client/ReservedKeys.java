package io.rowlock.client;

import io.rowlock.LockRequest;
import io.rowlock.Printable;
import java.util.List;

/** Keys of the library's own locks, which a program must not take: it would keep a leader or the clean-up away. */
final class ReservedKeys {
    private static final List<String> BEGINNINGS = List.of("rowlock:", "leader:");

    /** Taken by the clean-up job through whatever client the application has. */
    private static final String CLEAN_UP = "rowlock:clean-up";

    private ReservedKeys() {}

    /** @throws IllegalArgumentException if a key of the request is reserved */
    static void refuse(LockRequest request) {
        for (String key : request.keys()) {
            for (String beginning : BEGINNINGS) {
                if (key.startsWith(beginning) && !key.equals(CLEAN_UP)) {
                    throw new IllegalArgumentException(
                            "The lock key \"%s\" is reserved: keys that begin with \"%s\" belong to Rowlock's own locks; choose another name"
                                    .formatted(Printable.of(key), beginning));
                }
            }
        }
    }
}
