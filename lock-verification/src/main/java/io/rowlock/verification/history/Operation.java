package io.rowlock.verification.history;

import io.rowlock.verification.history.Event.Kind;

/** A call for one key, put together from its events. */
final class Operation {
    static final long NEVER = -1;

    final int node;
    final long number;
    final String key;
    String mode = "";
    long wait = NEVER;
    long asked;
    /** When a listener heard of the grant, on the thread of the call. */
    long acquired = NEVER;

    /** When the caller had the lock. */
    long began = NEVER;

    /** The first of both. */
    long granted = NEVER;

    long token = NEVER;
    private long tokenOfEvent = NEVER;
    long until;
    long ended = NEVER;
    /** When the lock was gone, though its holder could not know. */
    long gone = Long.MAX_VALUE;

    long lossSeen = NEVER;
    long refused = NEVER;
    String why = "";
    long minimum;
    long read = NEVER;
    long wrote = NEVER;
    Kind outcome = Kind.ROLLED_BACK;
    long answered = NEVER;

    Operation(int node, long number, String key) {
        this.node = node;
        this.number = number;
        this.key = key;
    }

    void add(Event event) {
        switch (event.kind()) {
            case ASKED -> {
                asked = event.at();
                mode = event.text().intern();
                wait = event.number();
            }
            case HEARD -> {
                acquired = event.at();
                tokenOfEvent = event.number();
                granted(event, token == NEVER && tokenOfEvent > 0 ? tokenOfEvent : token);
            }
            case GRANTED -> {
                began = event.at();
                granted(event, event.number() == NEVER ? token : event.number());
            }
            case LOST -> lossSeen = event.at();
            case HELD -> until = Math.max(until, event.number());
            case ENDED -> ended = event.at();
            case REFUSED -> {
                refused = event.at();
                why = event.text().intern();
            }
            case MINIMUM -> minimum = event.number();
            case READ -> read = event.number();
            case WROTE -> {
                wrote = event.at();
                outcome = Kind.UNKNOWN;
            }
            case COMMITTED, ROLLED_BACK, UNKNOWN -> {
                outcome = event.kind();
                answered = event.at();
            }
            default -> throw new IllegalArgumentException(event.toString());
        }
    }

    /** Notes the first sign of the grant alone: a later one does not show that the lock was still held. */
    private void granted(Event event, long itsToken) {
        token = itsToken;
        if (!isGranted() || event.at() < granted) {
            granted = event.at();
            until = Math.max(until, granted);
        }
    }

    /** A listener was told of another token than the caller. */
    boolean hasOtherToken() {
        return token != NEVER && tokenOfEvent > 0 && token != tokenOfEvent;
    }

    boolean isGranted() {
        return granted != NEVER;
    }

    boolean isExclusive() {
        return mode.equals("X");
    }

    /** The limit of permits, this one included; 0 for other modes. */
    int permits() {
        return mode.startsWith("P") ? Integer.parseInt(mode.substring(1)) : 0;
    }

    /** The last moment at which the holder relied on the lock while it had it. */
    long claimEnd() {
        return Math.min(gone, ended == NEVER ? until : Math.min(until, ended));
    }

    /** The lock was gone already when it was handed on to this call. */
    boolean isOfNothing() {
        return gone <= granted;
    }

    /**
     * The lock was lost before the body began, as when its process stood still or its transaction had to wait for a connection, and nothing
     * was committed. Then the lock may have been another's by the time that the grant was noted.
     */
    boolean isLostFromTheStart() {
        return until <= granted && (wrote != NEVER || began == NEVER) && outcome == Kind.ROLLED_BACK;
    }

    /** When the call was answered, or never. */
    long answeredAt() {
        return isGranted() ? granted : refused;
    }

    String strategy() {
        return key.replaceFirst("^(rw|permit|any|job)-", "").replaceFirst(":.*", "");
    }

    @Override
    public String toString() {
        return "%s %s of node %d, operation %x, token %d".formatted(mode, key, node, number, token);
    }
}
