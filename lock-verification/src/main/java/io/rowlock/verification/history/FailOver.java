package io.rowlock.verification.history;

import io.lettuce.core.cluster.SlotHash;

/**
 * Another server of Redis leads. It may lack the last writes of the former one, and for a while both may answer.
 *
 * @param firstSlot of the keys concerned
 * @param since when another may have led
 * @param until when the former one may have
 * @param token greater than all that the former one has issued
 */
record FailOver(int firstSlot, int lastSlot, long since, long until, long token) {
    static FailOver of(Event event) {
        String[] slots = event.key().split("-", -1);
        return new FailOver(
                Integer.parseInt(slots[0]),
                Integer.parseInt(slots[1]),
                Long.parseLong(event.text()),
                event.at(),
                event.number());
    }

    private boolean concerns(Operation operation) {
        int slot = SlotHash.getSlot(operation.key);
        return operation.strategy().equals("redis") && slot >= firstSlot && slot <= lastSlot;
    }

    /** Returns true if a claim is what the former leader has granted or renewed at last: a renewal by the new one counts anew. */
    private boolean mayHaveLost(Operation operation, long ttl) {
        boolean isGrantedSince =
                operation.isExclusive() && operation.token != Operation.NEVER && operation.token > token;
        return operation.until <= until + ttl && !isGrantedSince;
    }

    /** Returns true if two may hold a key, of which the second was granted it at that time. */
    boolean explains(Operation one, Operation next, long ttl) {
        return concerns(next) && next.granted >= since && (mayHaveLost(one, ttl) || mayHaveLost(next, ttl));
    }
}
