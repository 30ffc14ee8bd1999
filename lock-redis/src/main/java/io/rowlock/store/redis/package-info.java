/** Leases in Redis: what strategy {@code redis} sends, and how it waits. */
@NullMarked
package io.rowlock.store.redis;

import org.jspecify.annotations.NullMarked;
