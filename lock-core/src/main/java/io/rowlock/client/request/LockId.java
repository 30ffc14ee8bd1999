package io.rowlock.client.request;

/**
 * What threads of this process queue for.
 *
 * @param strategy the strategy: exclusion is promised within one, not between two
 * @param key the key as the table has it, prefix included
 */
public record LockId(String strategy, String key) {}
