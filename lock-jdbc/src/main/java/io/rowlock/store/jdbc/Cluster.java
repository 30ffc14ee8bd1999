package io.rowlock.store.jdbc;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a server is part of, as its settings say. */
public enum Cluster {
    /** One server, as far as its settings show. */
    NONE(Writers.ONE, "one server"),

    /** Galera, where every node takes writes. */
    GALERA(Writers.MANY, "a Galera cluster"),

    /** MySQL's group replication with one primary at a time. */
    SINGLE_PRIMARY(Writers.ONE, "a single-primary group"),

    /** MySQL's group replication in which every member is a primary. */
    MULTI_PRIMARY(Writers.MANY, "a multi-primary group");

    private static final String GALERA_ON = "wsrep_on";
    private static final String GALERA_LIBRARY = "wsrep_provider";
    private static final String GROUP = "group_replication_group_name";
    private static final String ONE_PRIMARY = "group_replication_single_primary_mode";

    /** The names of the settings that show it, as a list of SQL. A server lacks those of what it cannot be part of. */
    static final String SETTINGS = Stream.of(GALERA_ON, GALERA_LIBRARY, GROUP, ONE_PRIMARY)
            .map(name -> "'" + name + "'")
            .collect(Collectors.joining(", "));

    /** Locks nothing and reads no table; may come at any time. */
    private static final String QUESTION = "SHOW SESSION VARIABLES WHERE Variable_name IN (%s)".formatted(SETTINGS);

    private final Writers writers;
    private final String description;

    Cluster(Writers writers, String description) {
        this.writers = writers;
        this.description = description;
    }

    static Cluster of(Session session) throws SQLException {
        Map<String, String> settings = new HashMap<>();
        session.query(QUESTION, row -> settings.put(row.getString(1), String.valueOf(row.getString(2))));
        return of(settings);
    }

    /** @param settings those the server has of {@link #SETTINGS}, maybe among others */
    static Cluster of(Map<String, String> settings) {
        if ("ON".equals(settings.get(GALERA_ON)) && !"none".equals(settings.getOrDefault(GALERA_LIBRARY, "none"))) {
            return GALERA;
        }
        if (settings.getOrDefault(GROUP, "").isEmpty()) {
            return NONE;
        }
        return "OFF".equals(settings.get(ONE_PRIMARY)) ? MULTI_PRIMARY : SINGLE_PRIMARY;
    }

    /** @return how many of its servers take writes */
    public Writers writers() {
        return writers;
    }

    @Override
    public String toString() {
        return description;
    }
}
