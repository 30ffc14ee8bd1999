package io.rowlock.client.request;

import io.rowlock.store.Lease;
import java.time.Duration;

/**
 * The limits within which the threads of one process may have a lease one after another before it is released, so that other processes
 * can acquire the key. If none is seen to wait by then the limits start again, nine times at most.
 *
 * @param max how often it may be handed on; 0 for never. A lease has no tokens for more than {@link Lease#MOST_HANDOFFS}, so it is released
 *     then, however often the hand-off began anew
 * @param maxTime how long after it was acquired it may still be handed on, and readers may still join it; up to an hour
 */
public record Handoff(int max, Duration maxTime) {
    /** A hundred times within a tenth of a second. */
    public static final Handoff DEFAULT = new Handoff(100, Duration.ofMillis(100));

    private long end(long now) {
        return now + maxTime.toNanos();
    }

    /**
     * The rest of the limits for one lease. They begin anew at most {@value #MOST_PROLONGED} times.
     *
     * @param since when its first holder got it
     * @param until until when it may be handed on
     * @param handedOn how often it was
     * @param prolonged how often the limits began anew
     * @param tokens how many more tokens it has given out than the one it was granted with
     */
    public record Budget(Handoff limits, long since, long until, int handedOn, int prolonged, int tokens) {
        private static final int MOST_PROLONGED = 9;

        /** Returns those of a lease that its first holder gets now. */
        public static Budget begun(Handoff limits, long now) {
            return new Budget(limits, now, limits.end(now), 0, 0, 0);
        }

        /** @param writes true if the next holder is a writer, which gets a token of its own */
        public Budget next(boolean writes) {
            return new Budget(limits, since, until, handedOn + 1, prolonged, writes ? tokens + 1 : tokens);
        }

        public Budget prolonged(long now) {
            return new Budget(limits, since, limits.end(now), 0, prolonged + 1, tokens);
        }

        /** Returns limits that are used up for good. */
        public Budget stopped(long now) {
            return new Budget(new Handoff(0, Duration.ZERO), since, now, handedOn, prolonged, tokens);
        }

        public boolean isOver(long now) {
            return until - now <= 0;
        }

        public boolean isNextAllowed() {
            return handedOn < limits.max();
        }

        /** Returns true if they are used up, and may begin anew. */
        public boolean canBeProlonged(long now) {
            return (isOver(now) || !isNextAllowed()) && limits.max() > 0 && prolonged < MOST_PROLONGED;
        }

        /** Returns how long ago its first holder got it. */
        public Duration lasting(long now) {
            return Duration.ofNanos(Math.max(0, now - since));
        }
    }
}
