package io.rowlock.client;

import io.rowlock.test.JdbcBackends;
import io.rowlock.test.OnEachServer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.ExtendWith;

@Order(7)
@OnEachServer
@ExtendWith(JdbcBackends.class)
class RenewalTests extends RenewalContract {}
