package io.rowlock.verification;

import java.nio.file.Path;

/**
 * Settings of a run.
 *
 * @param contender {@code rowlock}, or one of the peers
 * @param server {@code mariadb}, which is embedded, or the path of a script that starts MySQL, a colon and a port
 * @param seed says which faults happen, and what the nodes do
 * @param seconds for how long
 * @param nodes how many processes
 * @param classes a directory with changed classes that nodes load first, or empty; then the run ends with the first violation
 */
record Settings(String contender, String server, long seed, int seconds, int nodes, String classes) {
    static Settings ofProperties() {
        return new Settings(
                text("contender", "rowlock"),
                text("server", "mariadb"),
                Long.parseLong(text("seed", "1")),
                Integer.parseInt(text("seconds", "3600")),
                Integer.parseInt(text("nodes", "3")),
                "");
    }

    /** @return the mutants to run instead, {@code all} or their names with commas; or empty */
    static String mutants() {
        return text("mutants", "");
    }

    Settings with(Path otherClasses) {
        return new Settings(contender, server, seed, seconds, nodes, otherClasses.toString());
    }

    private static String text(String name, String otherwise) {
        String value = System.getProperty("verification." + name, "");
        return value.isBlank() ? otherwise : value;
    }

    boolean isOnRedis() {
        return switch (contender) {
            case "shedlock", "spring-integration-jdbc" -> false;
            default -> true;
        };
    }
}
