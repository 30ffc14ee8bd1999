package io.rowlock.client.lock;

/**
 * The time that a lease lasts as its process counts it. Immutable; each renewal that succeeds makes a new one.
 *
 * <p>The database computed the end of the lease when it received the statement, which was after it was sent. So a lease counted
 * from when the statement was sent ends here no later than there.
 *
 * @param sent when the statement was sent that acquired or renewed the lease
 * @param ttl how long each renewal makes it last
 * @param span how long it lasts from {@code sent}: its ttl, or less if the store promised it for a shorter time only
 * @param interval how long after {@code sent} its renewal is due
 * @param due when its renewal is tried (again)
 * @param warned whether it was reported that its renewal is late, or has failed
 * @param failed whether it was reported why its renewal has failed
 */
record LeaseTerm(long sent, long ttl, long span, long interval, long due, boolean warned, boolean failed) {
    static LeaseTerm of(long sent, long ttl, long interval) {
        return new LeaseTerm(sent, ttl, ttl, interval, sent + interval, false, false);
    }

    /** Returns the term of a lease that the store has promised for {@code lasting} and will keep for its ttl if it is renewed. */
    LeaseTerm promised(long lasting) {
        long soon = Math.min(interval, lasting / 3);
        return new LeaseTerm(sent, ttl, Math.min(ttl, lasting), soon, sent + soon, warned, failed);
    }

    LeaseTerm withWarning(boolean ofFailure) {
        return new LeaseTerm(sent, ttl, span, interval, due, true, ofFailure);
    }

    LeaseTerm due(long time) {
        return new LeaseTerm(sent, ttl, span, interval, time, warned, failed);
    }

    /** Returns it with another try soon. */
    LeaseTerm retried(long now) {
        return due(now + interval / 4);
    }

    boolean isPromise() {
        return span < ttl;
    }

    long end() {
        return sent + span;
    }

    long remaining(long now) {
        return Math.max(0, end() - now);
    }

    boolean isOver(long now) {
        return end() - now <= 0;
    }

    boolean endsAfter(LeaseTerm other) {
        return end() - other.end() > 0;
    }

    /** Returns true while half of it is left, as of a lease that is renewed in time. */
    boolean isFresh(long now) {
        return remaining(now) >= span / 2;
    }

    /** Returns when to warn: halfway between when the renewal was due and the end. */
    long warningDue() {
        return sent + interval + (span - interval) / 2;
    }
}
