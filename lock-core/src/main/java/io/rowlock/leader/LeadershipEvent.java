package io.rowlock.leader;

/**
 * A change in what a node knows of its leadership, published as an application event in a Spring context.
 * {@link LeaderElection#isLeader()} is never late, an event may be.
 *
 * @param role the role
 * @param transition what changed
 * @param term the term of this node's leadership, the present one or the one it had last; 0 if it never led
 */
public record LeadershipEvent(String role, Transition transition, long term) {
    /** The outcome of a round of the election. A round that changes nothing fires no event. */
    public enum Transition {
        /** The node became the leader. */
        PROMOTED,
        /** Nothing changed. Fired only after {@link #UNKNOWN}: the database answers again, and another node leads. */
        STAY,
        /** The node does not lead any more: it yielded, or could not renew in time. */
        LEAVE,
        /** The database could not be asked; the node does not lead. Fired once an outage. */
        UNKNOWN
    }
}
