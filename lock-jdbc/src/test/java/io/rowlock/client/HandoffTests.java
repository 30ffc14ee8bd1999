package io.rowlock.client;

import io.rowlock.test.OnEachServer;
import org.junit.jupiter.api.Order;

@Order(6)
@OnEachServer
class HandoffTests extends HandoffContract {}
