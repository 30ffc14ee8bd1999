package io.rowlock.store.jdbc.cleanup;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlUniqueKeyCleanUpTests extends UniqueKeyCleanUpContract {}
