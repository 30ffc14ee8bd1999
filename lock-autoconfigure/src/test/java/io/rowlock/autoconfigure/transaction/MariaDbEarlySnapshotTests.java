package io.rowlock.autoconfigure.transaction;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;

@OnServer(ServerFlavor.MARIADB)
class MariaDbEarlySnapshotTests extends EarlySnapshotContract {}
