package io.rowlock.leader;

/**
 * Is told when the leadership of this node changes, in the order of the changes, on a thread for events of that role: one
 * that blocks holds up no election, but hears of the next change late. {@link LeaderElection#isLeader()} is never late.
 * What it throws is logged.
 */
@FunctionalInterface
public interface LeadershipListener {
    /**
     * Called once for each change.
     *
     * @param event what changed
     */
    void onEvent(LeadershipEvent event);
}
