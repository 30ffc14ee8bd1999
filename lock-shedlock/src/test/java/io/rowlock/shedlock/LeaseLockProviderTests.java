package io.rowlock.shedlock;

import io.rowlock.test.OnEachServer;

/** In every build: the rules are those of one strategy as of another. */
@OnEachServer
class LeaseLockProviderTests extends StrategiesContract {
    LeaseLockProviderTests() {
        super("lease");
    }
}
