package io.rowlock.verification.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Looks for an order in which the increments of a counter may have happened one after the other, each at some moment between its call
 * and its answer: the search of Wing and Gong, with Lowe's memory of what was tried. It knows nothing of locks, and its only input is
 * who called when and what was read.
 */
final class CounterSearch {
    /**
     * An increment.
     *
     * @param called when it was called
     * @param answered when it was answered
     * @param read the value it found; it left one more
     * @param certain whether it has happened; else it may have, at any time after its call
     */
    record Increment(long called, long answered, long read, boolean certain) {}

    /** A call or an answer, in a list from which both are taken while their increment has a place in the order. */
    private static final class Entry {
        final Increment increment;
        final long hash;
        Entry answer = this;
        boolean isCall;
        Entry before = this;
        Entry after = this;

        Entry(Increment increment, long hash, boolean isCall) {
            this.increment = increment;
            this.hash = hash;
            this.isCall = isCall;
        }

        void remove() {
            before.after = after;
            after.before = before;
        }

        void putBack() {
            before.after = this;
            after.before = this;
        }
    }

    private record Tried(long orderedHash, long value) {}

    private CounterSearch() {}

    /**
     * @param increments of one counter
     * @param initial its value at first
     * @return whether there is such an order
     */
    static boolean isLinearizable(List<Increment> increments, long initial) {
        Entry head = list(increments);
        long open = increments.stream().filter(Increment::certain).count();
        Set<Tried> tried = new HashSet<>();
        Deque<Entry> ordered = new ArrayDeque<>();
        long hash = 0;
        long value = initial;
        Entry entry = head.after;
        while (open > 0) {
            if (entry != head && entry.isCall) {
                boolean fits = entry.increment.read() == value && tried.add(new Tried(hash ^ entry.hash, value + 1));
                if (!fits) {
                    entry = entry.after;
                    continue;
                }
                ordered.push(entry);
                hash ^= entry.hash;
                value++;
                open -= entry.increment.certain() ? 1 : 0;
                lift(entry);
                entry = head.after;
            } else {
                // An increment was answered that has no place yet, so an earlier choice was wrong
                if (ordered.isEmpty()) {
                    return false;
                }
                Entry last = ordered.pop();
                hash ^= last.hash;
                value--;
                open += last.increment.certain() ? 1 : 0;
                unlift(last);
                entry = last.after;
            }
        }
        return true;
    }

    private static void lift(Entry call) {
        call.remove();
        if (call.answer != call) {
            call.answer.remove();
        }
    }

    private static void unlift(Entry call) {
        if (call.answer != call) {
            call.answer.putBack();
        }
        call.putBack();
    }

    private static Entry list(List<Increment> increments) {
        record Timed(long at, Entry entry) {}
        SplittableRandom hashes = new SplittableRandom(42);
        List<Timed> all = new ArrayList<>();
        for (Increment increment : increments) {
            Entry call = new Entry(increment, hashes.nextLong(), true);
            all.add(new Timed(increment.called(), call));
            if (increment.certain()) {
                call.answer = new Entry(increment, 0, false);
                all.add(new Timed(increment.answered(), call.answer));
            }
        }
        all.sort(Comparator.comparingLong(Timed::at));
        Entry head = new Entry(new Increment(0, 0, 0, false), 0, false);
        Entry last = head;
        for (Timed timed : all) {
            last.after = timed.entry();
            timed.entry().before = last;
            last = timed.entry();
        }
        last.after = head;
        head.before = last;
        return head;
    }
}
