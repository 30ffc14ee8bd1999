package io.rowlock.client;

import io.rowlock.test.OnEachServer;
import org.junit.jupiter.api.Order;

@Order(7)
@OnEachServer
class RenewalTests extends RenewalContract {}
