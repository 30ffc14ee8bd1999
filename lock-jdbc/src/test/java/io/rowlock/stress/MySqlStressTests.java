package io.rowlock.stress;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import org.junit.jupiter.api.Order;

@Order(12)
@OnServer(ServerFlavor.MYSQL)
class MySqlStressTests extends StressContract {}
