package io.rowlock.test;

import io.rowlock.test.database.ServerFlavor;
import java.util.List;

/** The clusters that scripts of the test resources start on loopback, three servers each. */
public enum ClusterKind {
    /** MariaDB Galera. */
    GALERA(ServerFlavor.MARIADB, 3411, "galera", ""),
    /** MySQL group replication in which every member is a primary. */
    MULTI_PRIMARY(ServerFlavor.MYSQL, 3421, "group", "multi"),
    /** MySQL group replication with one primary. */
    SINGLE_PRIMARY(ServerFlavor.MYSQL, 3421, "group", "single");

    final ServerFlavor flavor;
    final String script;
    private final int firstPort;
    private final String mode;

    ClusterKind(ServerFlavor flavor, int firstPort, String script, String mode) {
        this.flavor = flavor;
        this.firstPort = firstPort;
        this.script = script;
        this.mode = mode;
    }

    List<Integer> ports() {
        return List.of(firstPort, firstPort + 1, firstPort + 2);
    }

    /** What the script is called with to start the servers. */
    List<String> start() {
        return mode.isEmpty() ? List.of("start") : List.of("start", mode);
    }
}
