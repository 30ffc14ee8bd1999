package io.rowlock.client;

import io.rowlock.test.OnEachServer;
import org.junit.jupiter.api.Order;

@Order(11)
@OnEachServer
class TransactionTests extends TransactionContract {}
