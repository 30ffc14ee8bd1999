package io.rowlock.fault;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlFaultTests extends FaultContract {
    MySqlFaultTests() {
        super(1);
    }
}
