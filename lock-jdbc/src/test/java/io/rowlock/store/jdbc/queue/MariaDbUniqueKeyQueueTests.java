package io.rowlock.store.jdbc.queue;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MARIADB)
class MariaDbUniqueKeyQueueTests extends UniqueKeyQueueContract {}
