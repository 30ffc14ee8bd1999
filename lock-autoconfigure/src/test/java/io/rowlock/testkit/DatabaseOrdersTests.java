package io.rowlock.testkit;

import io.rowlock.test.LockControl;
import io.rowlock.test.LockRecorder;
import io.rowlock.test.OnServerOfBuild;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

@OnServerOfBuild
@SpringBootTest(classes = Orders.Application.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
@Import({LockControl.class, LockRecorder.class})
class DatabaseOrdersTests extends OrdersContract {}
