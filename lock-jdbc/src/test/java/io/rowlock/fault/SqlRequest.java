package io.rowlock.fault;

import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a client asked its server.
 *
 * @param kind how it was sent
 * @param sql the statement, without line breaks
 */
record SqlRequest(Kind kind, String sql) implements Request {
    private static final Pattern LEASE = Pattern.compile("(INTO|UPDATE|FROM) rowlock_(lock|unique_key) ");
    private static final Pattern ROW = Pattern.compile("FROM rowlock_row .* NOWAIT");

    /** Asks, locks nothing and changes nothing but settings of the session. */
    private static final Pattern HARMLESS = Pattern.compile(
            "(SHOW |SET SESSION |SET autocommit=0$|START TRANSACTION$|SELECT (?!.*( FOR (UPDATE|SHARE)| IN SHARE MODE|\\b(GET|RELEASE)_LOCK\\()))");

    /** How a statement is sent. */
    enum Kind {
        QUERY(0x03),
        PREPARE(0x16),
        EXECUTE(0x17),
        /** Anything else, which takes and changes nothing. */
        OTHER(-1);

        private final int command;

        Kind(int command) {
            this.command = command;
        }

        static Kind of(Packet packet) {
            for (Kind kind : values()) {
                if (kind.command == packet.kind()) {
                    return kind;
                }
            }
            return OTHER;
        }
    }

    static SqlRequest of(Kind kind, String sql) {
        return new SqlRequest(
                kind,
                sql.replaceFirst("^/\\*M!.*?\\*/", "").replaceAll("\\s+", " ").trim());
    }

    /**
     * Preparing takes and changes nothing, so one fault shows what a program does that could not even send its statement. Nor
     * does a harmless statement: whether it is lost, late or carried out is the same for all, so it meets silence and a
     * session that ends.
     */
    @Override
    public Set<Fault> faults() {
        if (kind == Kind.PREPARE) {
            return EnumSet.of(Fault.ANSWER_LOST);
        }
        return isHarmless() ? EnumSet.of(Fault.ANSWER_LOST, Fault.SESSION_KILLED_BEFORE) : allFaults();
    }

    private boolean isHarmless() {
        return HARMLESS.matcher(sql).lookingAt();
    }

    @Override
    public Set<Fault> allFaults() {
        return EnumSet.range(Fault.REQUEST_LOST, Fault.SESSION_KILLED_AFTER);
    }

    /** Whether it is a statement that takes, changes or ends a lease. */
    boolean writesLease() {
        return isPacket() || (kind == Kind.EXECUTE && LEASE.matcher(sql).find() && !sql.startsWith("SELECT"));
    }

    private boolean isPacket() {
        return kind == Kind.QUERY && sql.startsWith("START TRANSACTION; SET @rowlock_now");
    }

    /** Whether it is a statement that takes a row lock. */
    boolean locksRow() {
        return kind == Kind.EXECUTE
                && sql.startsWith("SELECT")
                && ROW.matcher(sql).find();
    }

    @Override
    public String toString() {
        return kind + " " + sql;
    }
}
