package io.rowlock.client.lock;

import io.rowlock.client.request.Ticker;

/**
 * All that the attempts of a client on its stores have in common.
 *
 * @param ticker the client's clock
 * @param renewer what keeps a lease alive once it is taken
 * @param inFlight the threads that ask or wait at the moment
 * @param pending ends a lease of which no answer came
 * @param background does what no thread waits for
 */
public record StoreAccess(
        Ticker ticker,
        LeaseRenewer renewer,
        InFlightThreads inFlight,
        PendingReleases pending,
        Background background) {}
