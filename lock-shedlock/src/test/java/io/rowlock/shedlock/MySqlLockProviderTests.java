package io.rowlock.shedlock;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("full")
@OnServer(ServerFlavor.MYSQL)
@ValueSource(strings = {"row-lock", "unique-key"})
class MySqlLockProviderTests extends StrategiesContract {}
