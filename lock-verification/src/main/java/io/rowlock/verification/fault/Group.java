package io.rowlock.verification.fault;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowlock.verification.fault.Fault.End;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** Members of a single-primary group of MySQL, and an address that leads to the primary, as that of MySQL Router does. */
final class Group {
    private static final long LONG = Duration.ofSeconds(60).toNanos();
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(200);
    private static final String PRIMARY = """
            SELECT MEMBER_PORT FROM performance_schema.replication_group_members
            WHERE MEMBER_ROLE = 'PRIMARY' AND MEMBER_STATE = 'ONLINE' AND EXISTS (
              SELECT 1 FROM performance_schema.replication_group_members WHERE MEMBER_ID = @@server_uuid AND MEMBER_STATE = 'ONLINE')""";

    private final List<Integer> ports;
    private final Map<Integer, Path> pidFiles = new HashMap<>();
    private final List<IntConsumer> followers = new CopyOnWriteArrayList<>();
    private volatile int primary;

    Group(List<Integer> ports) throws SQLException, IOException {
        this.ports = ports;
        for (int port : ports) {
            try (Connection connection = connect(port)) {
                pidFiles.put(port, Database.pidFile(connection));
            }
        }
        look();
        if (primary == 0) {
            throw new IOException("the group has no primary");
        }
        Thread thread = new Thread(this::follow, "group");
        thread.setDaemon(true);
        thread.start();
    }

    private static Connection connect(int port) throws SQLException {
        MysqlDataSource source = new MysqlDataSource();
        source.setUrl(
                "jdbc:mysql://127.0.0.1:%d/?user=root&sslMode=DISABLED&allowPublicKeyRetrieval=true&connectTimeout=1000&socketTimeout=2000"
                        .formatted(port));
        return source.getConnection();
    }

    private void follow() {
        while (true) {
            look();
            Fault.last(LOOK);
        }
    }

    /** A new primary counts once it takes writes. */
    private void look() {
        for (int port : ports) {
            try (Connection connection = connect(port)) {
                List<String> seen = Database.texts(connection, PRIMARY);
                if (!seen.isEmpty()) {
                    move(Integer.parseInt(seen.get(0)));
                    return;
                }
            } catch (SQLException e) {
                // another member may know
            }
        }
    }

    private void move(int port) throws SQLException {
        if (port == primary) {
            return;
        }
        try (Connection connection = connect(port)) {
            if (Database.texts(connection, "SELECT @@super_read_only").get(0).equals("0")) {
                primary = port;
                followers.forEach(follower -> follower.accept(port));
            }
        }
    }

    int primary() {
        return primary;
    }

    Path pidFile() {
        return Objects.requireNonNull(pidFiles.get(primary));
    }

    /** @param follower hears of each new primary */
    void onMove(IntConsumer follower) {
        followers.add(follower);
    }

    /** An operator asks for another primary. @return waits for it */
    End exchange(int to) throws SQLException {
        int former = primary;
        int next = ports.get(to);
        try (Connection operator = connect(former)) {
            operator.setNetworkTimeout(Runnable::run, 60_000);
            Database.execute(
                    operator,
                    "SELECT group_replication_set_as_primary(MEMBER_ID) FROM performance_schema.replication_group_members WHERE MEMBER_PORT = "
                            + next);
        }
        return () -> awaitAnother(former);
    }

    /** @return a member that is not the primary */
    int another() {
        return (ports.indexOf(primary) + 1) % ports.size();
    }

    void awaitAnother(int former) throws IOException {
        long end = System.nanoTime() + LONG;
        while (primary == former) {
            if (System.nanoTime() - end > 0) {
                throw new IOException("the group has no other primary");
            }
            Fault.last(LOOK);
        }
    }
}
