package io.rowlock.shedlock;

import io.rowlock.test.OnServer;
import org.junit.jupiter.params.provider.ValueSource;

/** In every build: the rules are those of one strategy as of another. */
@OnServer
@ValueSource(strings = "lease")
class LeaseLockProviderTests extends StrategiesContract {}
