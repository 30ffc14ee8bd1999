package io.rowlock.client.event;

import io.rowlock.client.request.Ticker;

/**
 * What a client reports to.
 *
 * @param ticker the client's clock
 * @param events the listeners
 * @param instrumentation the meters
 */
public record Observers(Ticker ticker, EventDispatcher events, SafeInstrumentation instrumentation) {}
