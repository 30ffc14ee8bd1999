package io.rowlock.client.request;

/**
 * The key that threads of this process queue for. Permits of a key are queued for apart from its locks: a thread that waits for one
 * does not stand in the way of the other.
 *
 * @param strategy the strategy: exclusion is promised within one, not between two
 * @param key the key as the table has it, prefix included
 * @param permit whether it is a permit, of which a thread may have several
 */
public record LockId(String strategy, String key, boolean permit) {}
