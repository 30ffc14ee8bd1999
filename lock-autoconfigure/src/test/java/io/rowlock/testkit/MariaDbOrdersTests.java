package io.rowlock.testkit;

import static io.rowlock.test.database.ServerFlavor.MARIADB;

import io.rowlock.test.LockControl;
import io.rowlock.test.LockRecorder;
import io.rowlock.test.OnServer;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

@OnServer(MARIADB)
@SpringBootTest(classes = Orders.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
@Import({LockControl.class, LockRecorder.class})
@Tag("full")
class MariaDbOrdersTests extends OrdersContract {}
