package io.rowlock.test;

import io.rowlock.test.database.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlServerTests extends ServerContract {

    MySqlServerTests() {
        super(ServerFlavor.MYSQL);
    }
}
