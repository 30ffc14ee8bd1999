package io.rowlock.fault;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MARIADB)
class MariaDbFaultTests extends FaultContract {
    MariaDbFaultTests() {
        super(7);
    }
}
