package io.rowlock.shedlock;

import io.rowlock.test.OnEachServer;
import org.junit.jupiter.api.Tag;

@Tag("full")
@OnEachServer(inBothBuilds = true)
class UniqueKeyLockProviderTests extends StrategiesContract {
    UniqueKeyLockProviderTests() {
        super("unique-key");
    }
}
