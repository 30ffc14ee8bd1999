package io.rowlock.client.event;

import io.rowlock.client.request.Ticker;
import io.rowlock.store.LockLog;

/**
 * What a client reports to.
 *
 * @param ticker the client's clock
 * @param events the listeners
 * @param instrumentation the meters
 * @param log the history of grants
 */
public record Observers(Ticker ticker, EventDispatcher events, SafeInstrumentation instrumentation, LockLog log) {}
