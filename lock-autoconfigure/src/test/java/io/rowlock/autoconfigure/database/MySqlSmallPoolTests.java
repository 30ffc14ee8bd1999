package io.rowlock.autoconfigure.database;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlSmallPoolTests extends SmallPoolContract {}
