package io.rowlock.verification;

import io.rowlock.verification.fault.Database;
import io.rowlock.verification.fault.Fault;
import io.rowlock.verification.fault.Fault.Target;
import io.rowlock.verification.fault.Redis;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Settings of a run.
 *
 * @param contender {@code rowlock}, or one of the peers
 * @param server {@code mariadb}, which is embedded, or the path of a script that starts MySQL, a colon and a port
 * @param redis {@code one} server, {@code sentinel} with replicas, or a {@code cluster}
 * @param seed says which faults happen, and what the nodes do
 * @param seconds for how long
 * @param nodes how many processes
 * @param threads of each process
 * @param quick how many more threads of each process take locks without a pause, and without transactions
 * @param pause the longest between two faults
 * @param faults names of those that happen, {@code none}, or empty for all
 * @param uses a pattern of what nodes do
 * @param classes a directory with changed classes that nodes load first, or empty; then the run ends with the first violation
 */
record Settings(
        String contender,
        String server,
        String redis,
        long seed,
        int seconds,
        int nodes,
        int threads,
        int quick,
        Duration pause,
        List<String> faults,
        String uses,
        String classes) {
    static final int HOUR = 3_600;

    /** Most are noticed within a minute; one that forgets rows of the log only when the run ends. */
    static final int OF_A_MUTANT = 600;

    private static final Set<Target> OF_ROWLOCK = EnumSet.of(Target.LOCKS, Target.POOLS);

    /** @param usual for how many seconds faults happen unless the property says it */
    static Settings ofProperties(int usual) {
        return of(name -> System.getProperty("verification." + name, ""), usual);
    }

    /**
     * @param values blank where the default is meant
     * @param usual for how many seconds faults happen if that is blank
     */
    static Settings of(UnaryOperator<String> values, int usual) {
        return new Settings(
                text(values, "contender", "rowlock"),
                text(values, "server", "mariadb"),
                text(values, "redis", Redis.ONE),
                Long.parseLong(text(values, "seed", "1")),
                Integer.parseInt(text(values, "seconds", Integer.toString(usual))),
                Integer.parseInt(text(values, "nodes", "3")),
                Integer.parseInt(text(values, "threads", "6")),
                Integer.parseInt(text(values, "quick", "0")),
                Duration.ofSeconds(Long.parseLong(text(values, "pause", "1"))),
                names(text(values, "faults", "")),
                text(values, "uses", ".*"),
                "");
    }

    private static String text(UnaryOperator<String> values, String name, String otherwise) {
        String value = values.apply(name);
        return value.isBlank() ? otherwise : value;
    }

    private static List<String> names(String text) {
        return text.isBlank() ? List.of() : List.of(text.split(",", -1));
    }

    Settings withSeed(long other) {
        return new Settings(
                contender, server, redis, other, seconds, nodes, threads, quick, pause, faults, uses, classes);
    }

    /** @param ofQuick how many more threads take locks without a pause, or 0 for as many as were chosen */
    Settings forMutant(String ofUses, String ofFaults, int ofQuick, String ofClasses) {
        return new Settings(
                contender,
                server,
                redis,
                seed,
                seconds,
                nodes,
                threads,
                ofQuick == 0 ? quick : ofQuick,
                pause,
                names(ofFaults),
                ofUses,
                ofClasses);
    }

    /** @return the kinds of faults that can happen to the contender, as far as they are chosen */
    List<Fault> kinds() {
        boolean withRedis = !List.of("shedlock", "spring-integration-jdbc").contains(contender);
        return Stream.of(Fault.values())
                .filter(fault -> faults.isEmpty() || faults.contains(fault.name()))
                .filter(fault -> fault.target() != Target.REDIS || withRedis)
                .filter(fault -> fault.target() != Target.REPLICAS || !redis.equals(Redis.ONE))
                .filter(fault -> fault.target() != Target.GROUP || Database.isGroup(server))
                .filter(fault -> !OF_ROWLOCK.contains(fault.target()) || contender.equals("rowlock"))
                .toList();
    }
}
