package io.rowlock.autoconfigure.datasource;

import java.time.Duration;

/**
 * The settings of the pool that locks have to themselves.
 *
 * @param size how many connections it has at most
 * @param connectionTimeout how long one attempt waits for a connection
 * @param queryTimeout how long a statement may take
 */
public record PoolSettings(int size, Duration connectionTimeout, Duration queryTimeout) {}
