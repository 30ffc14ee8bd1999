package io.rowlock.shedlock;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlLockProviderTests extends StrategiesContract {}
