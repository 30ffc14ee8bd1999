package io.rowlock.integration;

import io.rowlock.test.OnEachServer;
import org.junit.jupiter.api.Tag;

@Tag("full")
@OnEachServer(inBothBuilds = true)
class UniqueKeyLockRegistryTests extends StrategiesContract {
    UniqueKeyLockRegistryTests() {
        super("unique-key");
    }
}
