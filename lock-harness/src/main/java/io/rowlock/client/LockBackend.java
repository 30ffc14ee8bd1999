package io.rowlock.client;

import io.rowlock.LockListener;
import io.rowlock.client.request.Handoff;

/** A store with servers of its own, of which a test starts nodes. Test classes take it as a parameter. */
public interface LockBackend {
    LockData data();

    LockNode node(String owner, Handoff handoff, LockListener... listeners);

    /** As if the test had ended and another one began. */
    default void close() {}
}
