package io.rowlock.store.redis;

import static java.lang.Long.parseLong;

import java.util.Optional;

/**
 * The message of a script to the channel of a process: that a waiter has been granted its key.
 *
 * @param nonce of the waiter's place in the queue
 * @param token of its lease
 * @param draining true if the waiter has closed its key, but readers are inside
 * @param time the server's time in microseconds
 * @param former the expired lease that was taken over, as the scripts have it; may be empty
 */
record Message(long nonce, long token, boolean draining, long time, String former) {
    private static final int PARTS = 5;

    /** @return the message, or empty if it is none: a probe sends an empty text */
    static Optional<Message> of(String text) {
        String[] parts = text.split(" ", PARTS);
        if (parts.length < PARTS) {
            return Optional.empty();
        }
        return Optional.of(new Message(
                parseLong(parts[0]), parseLong(parts[1]), parts[2].equals("1"), parseLong(parts[3]), parts[4]));
    }
}
