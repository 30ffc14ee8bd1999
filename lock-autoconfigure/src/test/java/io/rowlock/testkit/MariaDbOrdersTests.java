package io.rowlock.testkit;

import static io.rowlock.test.ServerFlavor.MARIADB;

import io.rowlock.test.OnServer;
import io.rowlock.test.RowlockTest;
import org.springframework.boot.test.context.SpringBootTest;

@RowlockTest
@OnServer(MARIADB)
@SpringBootTest(classes = Orders.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
class MariaDbOrdersTests extends OrdersContract {}
