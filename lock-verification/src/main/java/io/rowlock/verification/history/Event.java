package io.rowlock.verification.history;

/**
 * A line of a history.
 *
 * @param at when, by the monotonic clock of the machine, which all its processes share
 * @param node the process
 * @param operation what it belongs to; unique in a history
 * @param kind what happened
 * @param key the lock key, or the role
 * @param text the mode asked for, or why it was refused
 * @param number a wait time, a token, a deadline, a value or a term, as the kind says
 */
public record Event(long at, int node, long operation, Kind kind, String key, String text, long number) {
    private static final String END = "\t.";

    /** The kind of an event. */
    public enum Kind {
        /** A call begins. Text: the mode; number: its wait time in nanoseconds, or -1 if that is not to be judged. */
        ASKED,
        /** The lock was granted. Number: its token, or -1 if the caller does not see it. */
        GRANTED,
        /** A listener was told. Text: of what, as an event of a lock has it; number: its token; operation: the call of the thread, if any. */
        HEARD,
        /** The holder may rely on the lock. Number: until when, by its own clock. */
        HELD,
        /** The holder relies on it no more: the release comes next. */
        ENDED,
        /** The holder has learned that the lock is lost. */
        LOST,
        /** The lock was not granted. Text: {@code busy}, or the failure. */
        REFUSED,
        /** A transaction has read a counter. Number: its value. */
        READ,
        /** A transaction has written, and its commit comes next. */
        WROTE,
        COMMITTED,
        /** The transaction was rolled back for certain. */
        ROLLED_BACK,
        /** The transaction may have been committed. */
        UNKNOWN,
        /** The node led. Text: since when; at: the last time it was seen; number: the term. */
        LED,
        /** The process stood still. Number: for how many nanoseconds until now. */
        PAUSED,
        /** A scheduled minimum applies. Number: nanoseconds. */
        MINIMUM,
        /**
         * The node's lock ends before its holders can know: with its session, or because an operator ends it. Number: when they know at
         * last, or -1 if not before {@link #BACK}.
         */
        GONE,
        /** The node has the key in another session. */
        BACK,
        /** The clock by which the database's leases expire is set. Number: how many nanoseconds later it is then. */
        SET,
        /** The node ended in peace. Number: how many rows of the log, or changes of them, it has not written. */
        LOGGED,
        /**
         * A leader of Redis was replaced. At: when the former one did not lead any more; text: since when another one may have; number: a
         * token that is greater than all that it has issued; key: the first and the last slot of the keys concerned.
         */
        FAILED_OVER,
        /** A measure of the process, or, by node 0, of the servers. Key: which; number: its value. */
        SAMPLE
    }

    String line() {
        return at + "\t" + node + "\t" + operation + "\t" + kind + "\t" + key + "\t" + text + "\t" + number + END
                + "\n";
    }

    /** The last line of a killed process may be a part of one. */
    static boolean isWhole(String line) {
        return line.endsWith(END);
    }

    static Event parse(String line) {
        String[] parts = line.split("\t", -1);
        return new Event(
                Long.parseLong(parts[0]),
                Integer.parseInt(parts[1]),
                Long.parseLong(parts[2]),
                Kind.valueOf(parts[3]),
                parts[4].intern(),
                parts[5].intern(),
                Long.parseLong(parts[6]));
    }
}
