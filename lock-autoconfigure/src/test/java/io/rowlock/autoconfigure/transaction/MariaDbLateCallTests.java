package io.rowlock.autoconfigure.transaction;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import org.junit.jupiter.api.Tag;

@Tag("full")
@OnServer(ServerFlavor.MARIADB)
class MariaDbLateCallTests extends LateCallContract {}
