package io.rowlock.benchmark.report;

/** What is counted. */
public final class Units {
    public static final String PAIRS = "pairs/s";
    public static final String OPERATIONS = "ops/s";
    public static final String PAIR_P50 = "µs a pair p50";
    public static final String PAIR_P99 = "µs a pair p99";
    public static final String JAIN = "jain";
    public static final String MICROS = "µs";
    public static final String MICROS_FROM_CALL = "µs from release called";
    public static final String MICROS_ON_TOP = "µs on top";
    public static final String PERCENT_ON_TOP = "% on top";
    public static final String WRITER_WAIT = "µs writer wait p50";
    public static final String MILLIS = "ms";
    public static final String CPU_MILLIS = "ms CPU";
    public static final String KEYS = "keys/s";
    public static final String KEYS_BESIDE = "keys/s beside a load";
    public static final String SERVER_CPU_A_KEY = "µs server CPU/key";
    public static final String SERVER_SHARE = "% of the server's CPU";
    public static final String HANDOFFS = "handoffs/s";
    public static final String TRIALS = "trials in order of 12";
    public static final String STATEMENTS_A_PAIR = "statements/pair";
    public static final String FSYNCS_A_PAIR = "fsyncs/pair";
    public static final String CLIENT_CPU = "µs client CPU/pair";
    public static final String SERVER_CPU = "µs server CPU/pair";
    public static final String STATEMENTS_A_TICK = "statements/tick";
    public static final String STATEMENTS_A_SECOND = "statements/s";
    public static final String RETAINED_A_KEY = "bytes retained a key";
    public static final String HELD = "bytes a held lock";

    private Units() {}
}
