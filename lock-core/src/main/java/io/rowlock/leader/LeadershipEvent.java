package io.rowlock.leader;

/**
 * A change in what a node knows of its leadership, told to every {@link LeadershipListener} and, in a Spring context,
 * published as an application event.
 *
 * @param role the role
 * @param transition what changed
 * @param term the term of this node's leadership, the present one or the one it had last; 0 if it never led
 */
public record LeadershipEvent(String role, Transition transition, long term) {
    /** What a round of the election came to. A round that changes nothing is told to nobody. */
    public enum Transition {
        /** The node became the leader. */
        PROMOTED,
        /** Nothing changed. Told only after {@link #UNKNOWN}: the database answers again, and somebody else leads. */
        STAY,
        /** The node is the leader no more: it yielded, or could not renew in time. */
        LEAVE,
        /** The database could not be asked; the node does not lead. Told once an outage. */
        UNKNOWN
    }
}
