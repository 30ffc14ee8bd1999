package io.rowlock.client;

import io.rowlock.test.OnEachServer;
import org.junit.jupiter.api.Order;

@Order(6)
@OnEachServer(dependsOnServer = true, mariaDb118 = true)
class TransactionTests extends TransactionContract {}
