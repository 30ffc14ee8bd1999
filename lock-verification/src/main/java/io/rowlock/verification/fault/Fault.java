package io.rowlock.verification.fault;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** Faults. Each begins, lasts for a while, and has ended when its method returns. */
public enum Fault {
    NODE_KILLED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            int node = scene.node(random);
            scene.kill(node);
            last(nanos);
            scene.start(node, 0);
        }
    },
    NODE_PAUSED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            long pid = scene.pid(scene.node(random));
            Signals.send("STOP", pid);
            last(nanos);
            Signals.send("CONT", pid);
        }
    },
    /** The process is started anew with a wall clock that is an hour off. */
    CLOCK_OFF {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            int node = scene.node(random);
            scene.kill(node);
            scene.start(node, random.nextBoolean() ? 1 : -1);
        }
    },
    DATABASE_KILLED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            scene.database().kill();
            last(nanos / 4);
            scene.database().restart();
        }
    },
    DATABASE_PAUSED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            scene.database().pause();
            last(nanos);
            scene.database().resume();
        }
    },
    REDIS_KILLED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            scene.redis().kill();
            last(nanos / 4);
            scene.redis().restart();
        }
    },
    REDIS_PAUSED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            scene.redis().pause();
            last(nanos);
            scene.redis().resume();
        }
    },
    NETWORK_DELAYED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            List<Network> networks = scene.networks(scene.node(random));
            networks.forEach(network -> network.delay(20_000_000L + random.nextInt(200_000_000)));
            last(nanos);
            networks.forEach(Network::heal);
        }
    },
    NETWORK_CUT {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            cut(scene, random, nanos, true, true);
        }
    },
    REQUESTS_CUT {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            cut(scene, random, nanos, true, false);
        }
    },
    ANSWERS_CUT {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            cut(scene, random, nanos, false, true);
        }
    },
    CONNECTIONS_RESET {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            scene.networks(scene.node(random)).forEach(Network::reset);
        }
    },
    /** Neither end learns that the connection is gone. */
    CONNECTIONS_HALF_OPEN {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            scene.networks(scene.node(random)).forEach(Network::forget);
        }
    },
    REQUEST_LATE {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            for (int i = 0; i < 10; i++) {
                scene.networks(scene.node(random)).forEach(network -> network.late(nanos, false));
                last(nanos / 10);
            }
        }
    },
    REQUEST_LATE_AND_TWICE {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            for (int i = 0; i < 10; i++) {
                scene.networks(scene.node(random)).forEach(network -> network.late(1 + nanos / 4, true));
                last(nanos / 10);
            }
        }
    },
    SESSIONS_KILLED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            try (Connection connection = scene.database().connect()) {
                for (String session : Database.texts(
                        connection,
                        "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()")) {
                    if (random.nextBoolean()) {
                        tryToKill(connection, session);
                    }
                }
            }
        }
    },
    /** As a backup does it. */
    READ_LOCK {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            try (Connection connection = scene.database().connect()) {
                Database.execute(connection, "SET SESSION lock_wait_timeout = 5");
                Database.execute(connection, "FLUSH TABLES WITH READ LOCK");
                last(nanos);
            }
        }
    },
    /** An operator's transaction has rows of the application, or of the locks. */
    ROWS_LOCKED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            List<String> tables = scene.lockTables();
            try (Connection connection = scene.database().connect()) {
                connection.setAutoCommit(false);
                Database.execute(connection, "SET SESSION innodb_lock_wait_timeout = 1");
                Database.texts(
                        connection,
                        "SELECT 1 FROM %s LIMIT 20 FOR UPDATE".formatted(tables.get(random.nextInt(tables.size()))));
                last(nanos / 2);
            }
        }
    },
    /** Other applications take all connections that the server allows. */
    CONNECTIONS_EXHAUSTED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            try (Connection operator = scene.database().connect()) {
                String most =
                        Database.texts(operator, "SELECT @@max_connections").get(0);
                Database.execute(operator, "SET GLOBAL max_connections = 10");
                try {
                    for (Network network : scene.networks(scene.node(random))) {
                        network.reset();
                    }
                    last(nanos);
                } finally {
                    allow(scene, most);
                }
            }
        }
    },
    SCRIPTS_FLUSHED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            scene.redis().command("SCRIPT FLUSH");
        }
    },
    /** Redis ends the connections over which messages come. */
    MESSAGES_OVERRUN {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            scene.redis().command("CONFIG SET client-output-buffer-limit \"pubsub 1 1 1\"");
            last(nanos / 2);
            scene.redis().command("CONFIG SET client-output-buffer-limit \"pubsub 33554432 8388608 60\"");
        }
    },
    REDIS_CLIENTS_KILLED {
        @Override
        void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
            scene.redis().command("CLIENT KILL TYPE " + (random.nextBoolean() ? "normal" : "pubsub"));
        }
    };

    /** @param nanos for how long, where it lasts */
    abstract void happen(Scene scene, Random random, long nanos) throws IOException, SQLException;

    /** The session that took connections away may have ended by now. */
    private static void allow(Scene scene, String connections) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try (Connection operator = scene.database().connect()) {
                Database.execute(operator, "SET GLOBAL max_connections = " + connections);
                return;
            } catch (SQLException e) {
                if (attempt == 50) {
                    throw e;
                }
                last(200_000_000);
            }
        }
    }

    static void last(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void cut(Scene scene, Random random, long nanos, boolean requests, boolean answers)
            throws IOException {
        List<Network> networks = new ArrayList<>(scene.networks(scene.node(random)));
        if (networks.size() > 1 && random.nextBoolean()) {
            networks.remove(random.nextInt(networks.size()));
        }
        networks.forEach(network -> network.cut(requests, answers));
        last(nanos);
        networks.forEach(Network::heal);
    }

    private static void tryToKill(Connection connection, String session) {
        try {
            Database.execute(connection, "KILL " + session);
        } catch (SQLException e) {
            // it has ended by itself
        }
    }

    /** @return a time from a tenth of a second to twice a ttl, most of them short */
    static long duration(Random random, Duration ttl) {
        double share = random.nextDouble();
        return 100_000_000L + (long) (share * share * 2 * ttl.toNanos());
    }

    boolean needsRedis() {
        return switch (this) {
            case REDIS_KILLED, REDIS_PAUSED, SCRIPTS_FLUSHED, MESSAGES_OVERRUN, REDIS_CLIENTS_KILLED -> true;
            default -> false;
        };
    }
}
