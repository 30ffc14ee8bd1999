package io.rowlock.autoconfigure.leader;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import org.junit.jupiter.api.Tag;

@OnServer(ServerFlavor.MARIADB)
@Tag("full")
class MariaDbLeaderBeansTests extends LeaderBeansContract {}
