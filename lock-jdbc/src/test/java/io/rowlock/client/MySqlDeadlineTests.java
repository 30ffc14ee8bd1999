package io.rowlock.client;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import org.junit.jupiter.api.Order;

@Order(3)
@OnServer(ServerFlavor.MYSQL)
class MySqlDeadlineTests extends DeadlineContract {}
