package io.rowlock.fault;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import org.junit.jupiter.api.Order;

@Order(2)
@OnServer(ServerFlavor.MARIADB)
class MariaDbFaultTests extends SqlFaultContract {
    MariaDbFaultTests() {
        super(7);
    }
}
