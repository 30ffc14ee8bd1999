package io.rowlock.integration;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("full")
@OnServer(ServerFlavor.MARIADB)
@ValueSource(strings = {"lease", "row-lock", "unique-key"})
class MariaDbLockRegistryTests extends StrategiesContract {}
