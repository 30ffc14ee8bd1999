package io.rowlock.test;

import java.util.List;

/** The clusters that scripts of the test resources start on loopback, three servers each. */
public enum ClusterKind {
    /** MariaDB Galera. */
    GALERA(ServerFlavor.MARIADB, List.of(3411, 3412, 3413), "galera", "start"),
    /** MySQL group replication in which every member is a primary. */
    MULTI_PRIMARY(ServerFlavor.MYSQL, List.of(3421, 3422, 3423), "group", "start", "multi"),
    /** MySQL group replication with one primary. */
    SINGLE_PRIMARY(ServerFlavor.MYSQL, List.of(3421, 3422, 3423), "group", "start", "single");

    final ServerFlavor flavor;
    final List<Integer> ports;
    final String script;
    final List<String> start;

    ClusterKind(ServerFlavor flavor, List<Integer> ports, String script, String... start) {
        this.flavor = flavor;
        this.ports = ports;
        this.script = script;
        this.start = List.of(start);
    }
}
