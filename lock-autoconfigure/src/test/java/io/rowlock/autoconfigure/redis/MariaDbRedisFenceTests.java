package io.rowlock.autoconfigure.redis;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import org.junit.jupiter.api.Tag;

@OnServer(ServerFlavor.MARIADB)
@Tag("full")
class MariaDbRedisFenceTests extends RedisFenceContract {}
