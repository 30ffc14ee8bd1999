package io.rowlock.client;

import io.rowlock.test.JdbcBackends;
import io.rowlock.test.OnEachServer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.ExtendWith;

@Order(16)
@OnEachServer
@ExtendWith(JdbcBackends.class)
class HandoffTests extends HandoffContract {}
