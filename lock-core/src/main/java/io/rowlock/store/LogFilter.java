package io.rowlock.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which rows of the lock log are asked for. A component that is null does not restrict them.
 *
 * @param prefix what their keys begin with, as the table has them; empty for all
 * @param key the key as the table has it
 * @param owner the owner
 * @param from held then, or granted later, by the database's clock
 * @param to granted before then, by the database's clock
 * @param limit at most that many, the latest; positive
 */
public record LogFilter(
        String prefix,
        @Nullable String key,
        @Nullable String owner,
        @Nullable Instant from,
        @Nullable Instant to,
        int limit) {}
