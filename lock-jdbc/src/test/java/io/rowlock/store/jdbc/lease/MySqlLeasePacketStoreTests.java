package io.rowlock.store.jdbc.lease;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlLeasePacketStoreTests extends LeasePacketStoreContract {}
