package io.rowlock.sample;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import org.junit.jupiter.api.Tag;

@OnServer(ServerFlavor.MARIADB)
@Tag("full")
class MariaDbNodesTests extends NodesContract {}
