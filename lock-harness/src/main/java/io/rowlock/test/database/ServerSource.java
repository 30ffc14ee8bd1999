package io.rowlock.test.database;

/** One way to come by a server. */
interface ServerSource {

    /**
     * Brings up a server, or connects to one.
     *
     * @throws Unavailable if this way is not open here; the search goes on with the next
     * @throws IllegalStateException if the user asked for this way and it failed; the search ends
     */
    DatabaseServer open(ServerFlavor flavor) throws Unavailable;

    /** Why a source has no server to offer, in a few words. */
    final class Unavailable extends Exception {

        private static final long serialVersionUID = 1L;

        Unavailable(String reason) {
            super(reason);
        }

        Unavailable(String reason, Throwable cause) {
            super(reason + " (" + cause + ")", cause);
        }
    }
}
