package io.rowlock.sample;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlSampleTests extends SampleContract {}
