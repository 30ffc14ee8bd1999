package io.rowlock.autoconfigure.interceptor;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MARIADB)
class MariaDbSkewedJobTests extends SkewedJobContract {}
