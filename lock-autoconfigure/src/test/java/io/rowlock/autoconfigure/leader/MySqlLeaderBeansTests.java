package io.rowlock.autoconfigure.leader;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlLeaderBeansTests extends LeaderBeansContract {}
