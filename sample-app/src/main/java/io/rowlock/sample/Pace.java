package io.rowlock.sample;

import java.time.Duration;

/**
 * How quick the workers are.
 *
 * @param ttl how long a dead one keeps what it had
 * @param round how often each takes a step, and stands for election
 */
record Pace(Duration ttl, Duration round) {
    static final Pace TO_WATCH = new Pace(Duration.ofSeconds(5), Duration.ofMillis(500));
}
