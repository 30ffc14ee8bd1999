package io.rowlock.test;

@OnServer(ServerFlavor.MYSQL)
class MySqlServerTests extends ServerContract {

    MySqlServerTests() {
        super(ServerFlavor.MYSQL);
    }
}
