package io.rowlock.store.jdbc.session;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlErrorsInStatementsTests extends ErrorsInStatementsContract {}
