package io.rowlock.integration;

import io.rowlock.test.OnEachServer;

/** In every build: the rules are those of one strategy as of another. */
@OnEachServer
class LeaseLockRegistryTests extends StrategiesContract {
    LeaseLockRegistryTests() {
        super("lease");
    }
}
