package io.rowlock.store.redis;

import static java.lang.Long.parseLong;

import java.util.Optional;

/**
 * The message of a script to the channel of a process: that a waiter has been granted its key, or that the last reader has left a
 * key that a writer of the process has closed.
 *
 * @param nonce of the waiter's place in the queue, or of the writer
 * @param token of its lease
 * @param readers D if the last reader has left; else 1 if readers are inside, 0 if not
 * @param time the server's time in microseconds
 * @param former the expired lease that was taken over, as the scripts have it; may be empty
 */
record Message(long nonce, long token, String readers, long time, String former) {
    private static final String LAST_READER_LEFT = "d";
    private static final int PARTS = 5;

    /** @return the message, or empty if it is none: a probe sends an empty text */
    static Optional<Message> of(String text) {
        String[] parts = text.split(" ", PARTS);
        if (parts.length < PARTS) {
            return Optional.empty();
        }
        return Optional.of(
                new Message(parseLong(parts[0]), parseLong(parts[1]), parts[2], parseLong(parts[3]), parts[4]));
    }

    boolean isLastReaderLeft() {
        return readers.equals(LAST_READER_LEFT);
    }

    /** Returns true if the waiter has closed its key, but readers are inside. */
    boolean isDraining() {
        return readers.equals("1");
    }
}
