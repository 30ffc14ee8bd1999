package io.rowlock.autoconfigure.transaction;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlLateCallTests extends LateCallContract {}
