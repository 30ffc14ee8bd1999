package io.rowlock.integration;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlLockRegistryTests extends StrategiesContract {}
