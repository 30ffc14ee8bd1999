package io.rowlock.fault;

/**
 * What a client asked its server.
 *
 * @param kind how it was sent
 * @param sql the statement, without line breaks
 */
record Request(Kind kind, String sql) {
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

    static Request of(Kind kind, String sql) {
        return new Request(kind, sql.replaceAll("\\s+", " ").trim());
    }

    /** Whether it is a statement that takes, changes or ends a lease. */
    boolean writesLock() {
        return kind == Kind.EXECUTE && sql.matches("(INSERT INTO|UPDATE|DELETE FROM) rowlock_(lock|unique_key) .*");
    }

    /** Whether it takes a row lock. */
    boolean locks() {
        return kind == Kind.EXECUTE
                && sql.matches(
                        "SELECT .* FROM rowlock_row .* FOR (UPDATE|SHARE) NOWAIT|SELECT .* LOCK IN SHARE MODE NOWAIT");
    }

    @Override
    public String toString() {
        return kind + " " + sql;
    }
}
