package io.rowlock.test;

@OnServer(ServerFlavor.MARIADB)
class MariaDbServerTests extends ServerContract {

    MariaDbServerTests() {
        super(ServerFlavor.MARIADB);
    }
}
