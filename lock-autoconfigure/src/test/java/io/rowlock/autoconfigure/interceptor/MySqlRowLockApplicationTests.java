package io.rowlock.autoconfigure.interceptor;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlRowLockApplicationTests extends RowLockApplicationContract {}
