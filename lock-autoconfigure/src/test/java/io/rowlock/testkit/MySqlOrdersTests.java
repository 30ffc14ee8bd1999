package io.rowlock.testkit;

import static io.rowlock.test.database.ServerFlavor.MYSQL;

import io.rowlock.test.LockControl;
import io.rowlock.test.LockRecorder;
import io.rowlock.test.OnServer;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

@OnServer(MYSQL)
@SpringBootTest(classes = Orders.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
@Import({LockControl.class, LockRecorder.class})
class MySqlOrdersTests extends OrdersContract {}
