package io.rowlock.autoconfigure.redis;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MARIADB)
class MariaDbRedisFenceTests extends RedisFenceContract {}
