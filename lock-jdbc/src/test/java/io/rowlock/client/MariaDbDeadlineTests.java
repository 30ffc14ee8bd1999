package io.rowlock.client;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import org.junit.jupiter.api.Order;

@Order(4)
@OnServer(ServerFlavor.MARIADB)
class MariaDbDeadlineTests extends DeadlineContract {}
