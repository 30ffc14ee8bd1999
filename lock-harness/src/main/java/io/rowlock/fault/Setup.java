package io.rowlock.fault;

/** A store, as the programs of a scenario are set up with it. */
interface Setup {
    /** What it is called in the name of a scenario. */
    String label();

    /** Whether locks last for their ttl, whatever becomes of sessions. */
    boolean isLasting();

    /** Whether a request that comes after its client has given it up may take a key all the same. */
    boolean isLateRequestOfEffect();

    /** Whether the request is one whose answer says that a key was taken. */
    boolean takes(Request request);
}
