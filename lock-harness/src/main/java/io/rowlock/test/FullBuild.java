package io.rowlock.test;

/**
 * Tells the two builds apart. {@code ./mvnw verify} runs what finds most errors in little time, {@code -Pfull} what it leaves out:
 * tests with the tag {@code full}, and those with the tag {@code full-too}, which ask {@link #isRunning()} what is left for them.
 */
public final class FullBuild {
    /** The tag of tests that run in both builds. */
    public static final String TOO = "full-too";

    private FullBuild() {}

    /** Tells whether this is the build that runs what {@code ./mvnw verify} leaves out. */
    public static boolean isRunning() {
        return Boolean.getBoolean("rowlock.test.full");
    }
}
