package io.rowlock.verification.fault;

import io.rowlock.servers.Network;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Faults: an action on a target. Each begins, lasts for its share of a time, and has ended when {@link #happen} returns. */
public enum Fault {
    NODE_KILLED(Target.NODE, 1, (scene, random, nanos) -> restarted(scene, scene.node(random), 0)),
    NODE_PAUSED(Target.NODE, 1, (scene, random, nanos) -> Server.paused(scene.pid(scene.node(random)))),
    /** The process is started anew with a wall clock that is an hour off. */
    CLOCK_OFF(Target.NODE, 0, (scene, random, nanos) -> {
        FakeTime.requireInstalled();
        return restarted(scene, scene.node(random), random.nextBoolean() ? 1 : -1);
    }),
    /** Other code of the process has all connections of the pools of its locks, of its transactions, or both. */
    POOLS_EXHAUSTED(Target.POOLS, 1, (scene, random, nanos) -> {
        int node = scene.node(random);
        int pools = 1 + random.nextInt(3);
        scene.exhaust(node, pools);
        return () -> scene.exhaust(node, 0);
    }),
    DATABASE_KILLED(Target.DATABASE, 0.25, (scene, random, nanos) -> {
        scene.rowLocks().forEach(RowLockSessions::end);
        return scene.database().killed();
    }),
    DATABASE_PAUSED(
            Target.DATABASE, 1, (scene, random, nanos) -> scene.database().paused()),
    /** An operator asks the group for another primary, or the primary is killed until there is another one. */
    GROUP_FAILOVER(Target.GROUP, 0, (scene, random, nanos) -> {
        boolean isKilled = random.nextBoolean();
        if (isKilled) {
            scene.rowLocks().forEach(RowLockSessions::end);
        }
        return scene.database().failedOver(isKilled);
    }),
    DISK_FULL(Target.DATABASE, 1, (scene, random, nanos) -> scene.database().diskFull()),
    /** Each commit waits for the disk, which another program keeps busy. */
    DISK_BUSY(Target.DATABASE, 1, (scene, random, nanos) -> {
        Disk disk = scene.database().disk();
        Connection operator = scene.database().connect();
        Database.execute(operator, "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
        End busy = disk.busy();
        return () -> {
            busy.end();
            insist(scene, operator, Database.COMMIT_TO_THE_SYSTEM);
        };
    }),
    /** An operator sets the clock of the database's server, and corrects that in the end. */
    SERVER_CLOCK_SET(Target.DATABASE, 1, (scene, random, nanos) -> {
        int seconds = (1 + random.nextInt(5)) * (random.nextBoolean() ? 1 : -1);
        set(scene, seconds, seconds);
        return () -> set(scene, 0, -seconds);
    }),
    REDIS_KILLED(Target.REDIS, 0.25, (scene, random, nanos) -> scene.redis().killed(random)),
    REDIS_PAUSED(Target.REDIS, 1, (scene, random, nanos) -> scene.redis().paused(random)),
    /** An operator asks for another leader, or the leader is killed, whether or not its replicas have its last writes. */
    REDIS_FAILOVER(Target.REPLICAS, 0, (scene, random, nanos) -> scene.redis().failedOver(random, nanos)),
    NETWORK_DELAYED(Target.NETWORK, 1, (scene, random, nanos) -> {
        long delay = 20_000_000L + random.nextInt(200_000_000);
        return disturbed(scene.networks(scene.node(random)), network -> network.delay(delay));
    }),
    NETWORK_CUT(Target.NETWORK, 1, (scene, random, nanos) -> cut(scene, random, true, true)),
    REQUESTS_CUT(Target.NETWORK, 1, (scene, random, nanos) -> cut(scene, random, true, false)),
    ANSWERS_CUT(Target.NETWORK, 1, (scene, random, nanos) -> cut(scene, random, false, true)),
    CONNECTIONS_RESET(
            Target.NETWORK, 0, (scene, random, nanos) -> disturbed(scene.networks(scene.node(random)), Network::reset)),
    /** Neither end learns that the connection is gone. */
    CONNECTIONS_HALF_OPEN(
            Target.NETWORK,
            0,
            (scene, random, nanos) -> disturbed(scene.networks(scene.node(random)), Network::forget)),
    REQUEST_LATE(Target.NETWORK, 0, (scene, random, nanos) -> late(scene, random, nanos, nanos, false)),
    REQUEST_LATE_AND_TWICE(Target.NETWORK, 0, (scene, random, nanos) -> late(scene, random, nanos, nanos / 4, true)),
    SESSIONS_KILLED(Target.DATABASE, 0, (scene, random, nanos) -> {
        try (Connection operator = scene.database().connect()) {
            for (String session : Database.texts(operator, SessionKill.SESSIONS)) {
                if (random.nextBoolean()) {
                    SessionKill.happen(operator, scene, session);
                }
            }
        }
        return End.NONE;
    }),
    /** As a backup does it. */
    READ_LOCK(
            Target.DATABASE,
            1,
            (scene, random, nanos) -> locked(scene, "lock_wait_timeout = 5", "FLUSH TABLES WITH READ LOCK")),
    /** An operator's transaction has rows of the application, or of the locks. */
    ROWS_LOCKED(Target.DATABASE, 0.5, (scene, random, nanos) -> {
        List<String> tables = scene.lockTables();
        String table = tables.get(random.nextInt(tables.size()));
        return locked(
                scene,
                "autocommit = 0, innodb_lock_wait_timeout = 1",
                "SELECT 1 FROM " + table + " LIMIT 20 FOR UPDATE");
    }),
    /** Other applications take all connections that the server allows. */
    CONNECTIONS_EXHAUSTED(Target.DATABASE, 1, (scene, random, nanos) -> {
        List<Network> networks = scene.networks(scene.node(random));
        Connection operator = scene.database().connect();
        String most = Database.texts(operator, "SELECT @@max_connections").get(0);
        Database.execute(operator, "SET GLOBAL max_connections = 10");
        networks.forEach(Network::reset);
        return () -> insist(scene, operator, "SET GLOBAL max_connections = " + most);
    }),
    /** An operator ends leases that have lasted for a while, as the runbook says. */
    LOCKS_FORCED(Target.LOCKS, 0, (scene, random, nanos) -> {
        try (Connection operator = scene.database().connect()) {
            for (int i = 0; i < 20; i++) {
                Leases.force(operator, scene);
                last(nanos / 20);
            }
        }
        return End.NONE;
    }),
    SCRIPTS_FLUSHED(Target.REDIS, 0, (scene, random, nanos) -> command(scene, "SCRIPT FLUSH")),
    /** Redis ends the connections over which messages come. */
    MESSAGES_OVERRUN(Target.REDIS, 0.5, (scene, random, nanos) -> {
        End end = command(scene, "CONFIG SET client-output-buffer-limit \"pubsub 1 1 1\"");
        return () -> {
            end.end();
            command(scene, "CONFIG SET client-output-buffer-limit \"pubsub 33554432 8388608 60\"");
        };
    }),
    REDIS_CLIENTS_KILLED(
            Target.REDIS,
            0,
            (scene, random, nanos) ->
                    command(scene, "CLIENT KILL TYPE " + (random.nextBoolean() ? "normal" : "pubsub")));

    /** The part that a fault happens to. */
    public enum Target {
        NODE,
        NETWORK,
        /** The pools of a node with Rowlock. */
        POOLS,
        DATABASE,
        REDIS,
        /** Replicas of Redis. */
        REPLICAS,
        /** Members of a group of MySQL. */
        GROUP,
        LOCKS
    }

    private interface Action {
        /** @param nanos for how long the fault lasts as a whole */
        End begin(Scene scene, Random random, long nanos) throws IOException, SQLException;
    }

    /** Ends what has begun. */
    interface End {
        End NONE = () -> {};

        void end() throws IOException, SQLException;
    }

    private final Target target;
    private final double share;

    @SuppressWarnings("ImmutableEnumChecker") // a function without a state
    private final Action action;

    Fault(Target target, double share, Action action) {
        this.target = target;
        this.share = share;
        this.action = action;
    }

    public Target target() {
        return target;
    }

    void happen(Scene scene, Random random, long nanos) throws IOException, SQLException {
        End end = action.begin(scene, random, nanos);
        last((long) (nanos * share));
        end.end();
    }

    static void last(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static End restarted(Scene scene, int node, int hours) throws IOException {
        scene.kill(node);
        return () -> scene.start(node, hours);
    }

    private static End disturbed(List<Network> networks, Consumer<Network> disturbance) {
        networks.forEach(disturbance);
        return () -> networks.forEach(Network::heal);
    }

    private static End cut(Scene scene, Random random, boolean requests, boolean answers) throws IOException {
        List<Network> networks = new ArrayList<>(scene.networks(scene.node(random)));
        if (random.nextBoolean()) {
            networks.remove(random.nextInt(networks.size()));
        }
        return disturbed(networks, network -> network.cut(requests, answers));
    }

    private static End late(Scene scene, Random random, long nanos, long by, boolean twice) throws IOException {
        for (int i = 0; i < 10; i++) {
            scene.networks(scene.node(random)).forEach(network -> network.late(1 + by, twice));
            last(nanos / 10);
        }
        return End.NONE;
    }

    private static void set(Scene scene, int clock, int by) throws IOException {
        FakeTime time = scene.database().clock();
        scene.clockSet(by * 1_000_000_000L);
        time.set(clock);
    }

    private static End command(Scene scene, String text) throws IOException {
        scene.redis().command(text);
        return End.NONE;
    }

    /** Until the end, a session keeps what the statement has locked. */
    private static End locked(Scene scene, String settings, String statement) throws SQLException {
        Connection operator = scene.database().connect();
        try {
            Database.execute(operator, "SET SESSION " + settings);
            Database.execute(operator, statement);
            return operator::close;
        } catch (SQLException e) {
            operator.close();
            throw e;
        }
    }

    /** Its session may have ended by now, and another one may be hard to have. */
    private static void insist(Scene scene, Connection operator, String statement) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try (Connection session = attempt == 1 ? operator : scene.database().connect()) {
                Database.execute(session, statement);
                return;
            } catch (SQLException e) {
                if (attempt == 300) {
                    throw e;
                }
                last(100_000_000);
            }
        }
    }
}
