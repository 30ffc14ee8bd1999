package io.rowlock.fault;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import org.junit.jupiter.api.Order;

@Order(1)
@OnServer(ServerFlavor.MYSQL)
class MySqlFaultTests extends SqlFaultContract {
    MySqlFaultTests() {
        super(1);
    }
}
