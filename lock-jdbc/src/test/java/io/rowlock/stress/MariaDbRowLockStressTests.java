package io.rowlock.stress;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;

@OnServer(ServerFlavor.MARIADB)
class MariaDbRowLockStressTests extends RowLockStressContract {}
