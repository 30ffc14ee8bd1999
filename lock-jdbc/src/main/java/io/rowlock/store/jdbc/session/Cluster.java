package io.rowlock.store.jdbc.session;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The kinds of clusters that a server can be part of. The text is for people. One of which several servers accept writes is refused: none of
 * them sees the row locks of another, and every strategy rests on row locks.
 */
public enum Cluster {
    /** A single server, as far as its settings show. */
    NONE("one server"),

    /** Galera, where every node accepts writes. */
    GALERA("a Galera cluster"),

    /** MySQL's group replication with one primary at a time. */
    SINGLE_PRIMARY("a single-primary group"),

    /** MySQL's group replication in which every member is a primary. */
    MULTI_PRIMARY("a multi-primary group");

    private static final String GALERA_ON = "wsrep_on";
    private static final String GALERA_LIBRARY = "wsrep_provider";
    private static final String GROUP = "group_replication_group_name";
    private static final String ONE_PRIMARY = "group_replication_single_primary_mode";

    /** The names of the settings that show what a server is part of, as a list of SQL. It lacks those of what it cannot be part of. */
    static final String SETTINGS = Stream.of(GALERA_ON, GALERA_LIBRARY, GROUP, ONE_PRIMARY)
            .map("'%s'"::formatted)
            .collect(Collectors.joining(", "));

    private final String description;

    Cluster(String description) {
        this.description = description;
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

    /** Returns why locks cannot be kept in the cluster, a sentence; empty if it has one server that accepts writes. */
    public Optional<String> refusal() {
        if (this == NONE || this == SINGLE_PRIMARY) {
            return Optional.empty();
        }
        String known = this == GALERA ? ", and Galera loses updates even when it is healthy (Jepsen, March 2026)" : "";
        return Optional.of(
                "Locks cannot be kept in %s whose servers all accept writes: they do not see each other's row locks%s, so two nodes could hold one lock."
                        .formatted(this, known));
    }

    @Override
    public String toString() {
        return description;
    }
}
