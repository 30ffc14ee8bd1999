package io.rowlock.client;

import io.rowlock.test.JdbcBackends;
import io.rowlock.test.OnEachServer;
import org.junit.jupiter.api.extension.ExtendWith;

@OnEachServer
@ExtendWith(JdbcBackends.class)
class AnyKeyTests extends AnyKeyContract {}
