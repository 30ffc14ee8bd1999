package io.rowlock.stress;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlRowLockStressTests extends RowLockStressContract {}
