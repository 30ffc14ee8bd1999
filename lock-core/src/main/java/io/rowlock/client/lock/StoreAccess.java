package io.rowlock.client.lock;

import io.rowlock.client.request.Ticker;

/**
 * What all attempts of a client on its stores have in common.
 *
 * @param ticker the client's clock
 * @param renewer what keeps a lease alive once it is taken
 * @param inFlight the threads that ask or wait at the moment
 * @param uncertain what ends a lease of which no answer came
 */
public record StoreAccess(Ticker ticker, LeaseRenewer renewer, InFlightThreads inFlight, UncertainLeases uncertain) {}
