package io.rowlock.fault;

/** What can happen to one request. */
enum Fault {
    /** It never reaches the server, and the client hears nothing any more. */
    REQUEST_LOST,

    /** The server carries it out, but the client hears nothing any more. */
    ANSWER_LOST,

    /** It reaches the server after the next two steps of all others; by then the client has most likely given it up. */
    REQUEST_LATE,

    /** Its session is killed right before the server gets it. */
    SESSION_KILLED_BEFORE,

    /** Its session is killed when the server has answered, and right before the client hears that. */
    SESSION_KILLED_AFTER,

    /** It reaches the server when all have given the key back; by then the client has given it up long ago. */
    REQUEST_LAST,

    /** The server stands still when it gets it, for longer than the client waits. */
    SERVER_PAUSED,

    /** What the server sends by itself never reaches the client. */
    MESSAGE_LOST,

    /** What the server sends by itself reaches the client after the next two steps of all others. */
    MESSAGE_LATE;

    boolean killsSession() {
        return this == SESSION_KILLED_BEFORE || this == SESSION_KILLED_AFTER;
    }
}
