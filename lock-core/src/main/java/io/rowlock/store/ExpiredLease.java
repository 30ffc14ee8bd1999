package io.rowlock.store;

import java.time.Duration;

/**
 * A lease that expired before it was released: its holder died, was cut off, or did not close it.
 *
 * @param lease the lease, with its former owner and token
 * @param held from when it was granted until it ran out, by the database's clock
 */
public record ExpiredLease(Lease lease, Duration held) {}
