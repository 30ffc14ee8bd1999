package io.rowlock.leader;

/**
 * Is notified when the leadership of this node changes, in the order of the changes, on a thread for events of that role: a
 * listener that blocks delays no election, only the next event. {@link LeaderElection#isLeader()} is never late.
 * Exceptions of a listener are logged.
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
