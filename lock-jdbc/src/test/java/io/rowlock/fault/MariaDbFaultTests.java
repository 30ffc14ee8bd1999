package io.rowlock.fault;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

@Order(2)
@OnServer(ServerFlavor.MARIADB)
@Tag("full")
class MariaDbFaultTests extends SqlFaultContract {
    MariaDbFaultTests() {
        super(7);
    }
}
