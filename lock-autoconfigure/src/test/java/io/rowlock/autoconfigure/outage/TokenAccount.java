package io.rowlock.autoconfigure.outage;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * What is known of the grants with one token: those of one exclusive lease, or of leases of readers with no writer in
 * between.
 */
final class TokenAccount {
    /** What they have in common. */
    record Id(String strategy, String key, long token) {}

    private final Map<LockEvent.Type, Integer> told = new EnumMap<>(LockEvent.Type.class);
    private boolean readers;
    private int failedReleases;
    private int noticedLosses;

    private TokenAccount() {}

    static Map<Id, TokenAccount> of(Collection<LockEvent> events, Collection<Bodies.Body> bodies) {
        Map<Id, TokenAccount> accounts = new HashMap<>();
        for (LockEvent event : events) {
            if (event.type() != LockEvent.Type.BUSY && event.type() != LockEvent.Type.EXPIRED) {
                accounts.computeIfAbsent(idOf(event), added -> new TokenAccount())
                        .add(event);
            }
        }
        for (Bodies.Body body : bodies) {
            accounts.computeIfAbsent(body.id(), added -> new TokenAccount()).add(body);
        }
        for (LockEvent event : events) {
            if (event.type() == LockEvent.Type.EXPIRED) {
                Id id = lastGrantOf(idOf(event), accounts);
                accounts.computeIfAbsent(id, added -> new TokenAccount()).add(event);
            }
        }
        return accounts;
    }

    private static Id idOf(LockEvent event) {
        return new Id(event.strategy(), event.key(), event.fencingToken());
    }

    /** A lease that ran out is known by its fence, the token of its first grant; it was the last one that did not release it. */
    private static Id lastGrantOf(Id lease, Map<Id, TokenAccount> accounts) {
        return accounts.keySet().stream()
                .filter(id -> id.strategy().equals(lease.strategy()) && id.key().equals(lease.key()))
                .filter(id -> id.token() >= lease.token() && id.token() <= lease.token() + Lease.MOST_HANDOFFS)
                .max(Comparator.comparingLong(Id::token))
                .orElse(lease);
    }

    private void add(LockEvent event) {
        told.merge(event.type(), 1, Integer::sum);
        readers |= event.mode() == LockMode.SHARED;
    }

    private void add(Bodies.Body body) {
        failedReleases += body.releaseFailed() ? 1 : 0;
        noticedLosses += body.losses();
    }

    private int told(LockEvent.Type type) {
        return told.getOrDefault(type, 0);
    }

    int acquired() {
        return told(LockEvent.Type.ACQUIRED);
    }

    int released() {
        return told(LockEvent.Type.RELEASED);
    }

    /** How many leases were lost. */
    int lost() {
        return told(LockEvent.Type.LOST);
    }

    int expired() {
        return told(LockEvent.Type.EXPIRED);
    }

    /** Whether several leases can have this token. */
    boolean hasReaders() {
        return readers;
    }

    /** How many holders could not tell the database that they gave it back. */
    int failedReleases() {
        return failedReleases;
    }

    /** How often holders were notified of a loss. */
    int noticedLosses() {
        return noticedLosses;
    }

    /** How many grants were neither given back nor failed to be. */
    int lostGrants() {
        return acquired() - released() - failedReleases;
    }

    /** How many leases were found expired that no process is known to have held and not released. */
    int strangersExpired() {
        return Math.max(0, expired() - lost() - failedReleases);
    }

    @Override
    public String toString() {
        return "%s, %d releases failed, %d losses noticed".formatted(told, failedReleases, noticedLosses);
    }
}
