package io.rowlock.client;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlSharedLeaseTests extends SharedLeaseContract {}
