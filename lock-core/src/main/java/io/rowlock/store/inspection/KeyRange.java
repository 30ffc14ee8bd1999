package io.rowlock.store.inspection;

import io.rowlock.Printable;
import io.rowlock.store.inspection.StoreInspection.LivePage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
     * The range a page is from.
     *
     * @param prefix what the keys begin with
     * @param cursor where the page before ended, as {@link #page} has it, or null for the first page
     * @return the range
     * @throws IllegalArgumentException if the cursor is not one of these
     */
    public static KeyRange of(String prefix, @Nullable String cursor) {
        if (cursor == null) {
            return new KeyRange(prefix, "", Long.MIN_VALUE);
        }
        int blank = cursor.indexOf(' ');
        if (blank < 0) {
            throw new IllegalArgumentException("\"%s\" is not the end of a page".formatted(Printable.of(cursor)));
        }
        return new KeyRange(prefix, cursor.substring(blank + 1), Long.parseLong(cursor.substring(0, blank)));
    }

    /**
     * A page of this range.
     *
     * @param locks the first locks of this range, in order, one more than the limit if there are that many
     * @param limit how many a page has at most
     * @return the page
     */
    public static LivePage page(List<LiveLock> locks, int limit) {
        if (locks.size() <= limit) {
            return new LivePage(locks, null);
        }
        LiveLock last = locks.get(limit - 1);
        return new LivePage(locks.subList(0, limit), last.slot() + " " + last.key());
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
     * Whether a lock is in it.
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
