package io.rowlock.stress;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import org.junit.jupiter.api.Order;

@Order(16)
@OnServer(ServerFlavor.MARIADB)
class MariaDbStressTests extends StressContract {}
