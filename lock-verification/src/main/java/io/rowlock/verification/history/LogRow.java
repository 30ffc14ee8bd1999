package io.rowlock.verification.history;

/**
 * A row of the lock log.
 *
 * @param node the process that had the grant
 * @param isReleased whether its release is logged
 */
public record LogRow(int node, String key, long token, boolean isReleased) {}
