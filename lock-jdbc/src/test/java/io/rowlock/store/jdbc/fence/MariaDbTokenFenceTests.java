package io.rowlock.store.jdbc.fence;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MARIADB)
class MariaDbTokenFenceTests extends TokenFenceContract {}
