package io.rowlock.store.inspection;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The locks whose keys begin alike, behind a certain one, for stores whose order is that of the keys' bytes, then of the slots.
 *
 * @param prefix what the keys begin with, as the table has them; empty for all
 * @param afterKey the key of the last lock that is not wanted any more; empty for none
 * @param afterSlot its slot
 */
public record KeyRange(String prefix, String afterKey, long afterSlot) {
    /** Greater than any byte of UTF-8. */
    private static final byte BEHIND_ALL = (byte) 0xff;

    /**
     * The locks whose keys begin with a prefix.
     *
     * @param prefix what the keys begin with
     * @return all of them
     */
    public static KeyRange of(String prefix) {
        return new KeyRange(prefix, "", Long.MIN_VALUE);
    }

    /** @return the bytes of the first key that may be in it */
    public byte[] first() {
        byte[] start = bytes(prefix);
        byte[] after = bytes(afterKey);
        return Arrays.compareUnsigned(start, after) > 0 ? start : after;
    }

    /** @return bytes that are greater than those of any key in it, and less than those of any key behind it */
    public byte[] end() {
        byte[] start = bytes(prefix);
        if (start.length == 0) {
            return new byte[] {BEHIND_ALL};
        }
        start[start.length - 1]++; // never 0xff
        return start;
    }

    /** @return the bytes of {@link #afterKey} */
    public byte[] after() {
        return bytes(afterKey);
    }

    /**
     * Returns true if a lock is in it.
     *
     * @param key the lock's key
     * @param slot its slot
     * @return true if so
     */
    public boolean contains(String key, long slot) {
        int behind = Arrays.compareUnsigned(bytes(key), after());
        return key.startsWith(prefix) && (behind > 0 || (behind == 0 && slot > afterSlot));
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }
}
