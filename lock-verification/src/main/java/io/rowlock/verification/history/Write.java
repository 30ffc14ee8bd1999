package io.rowlock.verification.history;

/**
 * A committed row: the value that a transaction has written to a counter.
 *
 * @param key the counter
 * @param value one more than what the transaction read
 * @param operation the call it was written by
 */
public record Write(String key, long value, long operation) {}
