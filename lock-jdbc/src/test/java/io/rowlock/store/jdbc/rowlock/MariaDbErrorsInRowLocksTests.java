package io.rowlock.store.jdbc.rowlock;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MARIADB)
class MariaDbErrorsInRowLocksTests extends ErrorsInRowLocksContract {}
