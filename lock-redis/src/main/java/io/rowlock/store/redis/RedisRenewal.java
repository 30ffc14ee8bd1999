package io.rowlock.store.redis;

import static io.rowlock.store.redis.RedisAttempts.micros;
import static io.rowlock.store.redis.RedisAttempts.mode;

import io.rowlock.LockStoreException;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Renews many leases: up to a hundred a call, and all calls before the first answer. Thread-safe. */
record RedisRenewal(RedisScripts scripts) {
    private static final int MOST = 100;

    /** The part of a ttl that a silent server is waited for: the answers of the others wait meanwhile, and their leases must last. */
    private static final int PATIENCE = 6;

    /** Leases whose call is on its way. */
    private record Pending(List<Lease> leases, RedisScripts.Sent call) {}

    /** @see io.rowlock.store.LockStore#renew */
    Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        Duration patience = scripts.servers.isAlone() ? scripts.settings.commandTimeout() : ttl.dividedBy(PATIENCE);
        List<Pending> pending = new ArrayList<>();
        groups(leases).forEach(group -> pending.add(new Pending(group, send(group, ttl))));
        Map<Lease, Renewal> outcome = new LinkedHashMap<>();
        LockStoreException failure = null;
        boolean answered = pending.isEmpty();
        for (Pending each : pending) {
            try {
                put(each.leases(), each.call().answer(patience, scripts.settings.connectTimeout()), outcome);
                answered = true;
            } catch (LockStoreException e) {
                failure = e;
                each.leases().forEach(lease -> outcome.put(lease, Renewal.UNKNOWN));
            }
        }
        if (failure != null && !answered) {
            throw failure;
        }
        return outcome;
    }

    private List<List<Lease>> groups(List<Lease> leases) {
        Map<Integer, List<Lease>> slots = leases.stream()
                .collect(Collectors.groupingBy(lease -> scripts.servers.slot(scripts.keys.gate(lease.key()))));
        List<List<Lease>> groups = new ArrayList<>();
        for (List<Lease> slot : slots.values()) {
            for (int from = 0; from < slot.size(); from += MOST) {
                groups.add(slot.subList(from, Math.min(from + MOST, slot.size())));
            }
        }
        return groups;
    }

    private RedisScripts.Sent send(List<Lease> leases, Duration ttl) {
        List<Object> arguments = new ArrayList<>(List.of(micros(ttl)));
        leases.forEach(lease -> arguments.addAll(List.of(mode(lease.mode()), lease.fence(), lease.slot())));
        List<String> lockKeys = leases.stream().map(Lease::key).toList();
        return scripts.send(new RedisScripts.Call(Script.RENEW, true, lockKeys, arguments));
    }

    private static void put(List<Lease> leases, Answer answer, Map<Lease, Renewal> outcome) {
        for (int i = 0; i < leases.size(); i++) {
            outcome.put(leases.get(i), answer.isTrue(i + 2) ? Renewal.RENEWED : Renewal.LOST);
        }
    }
}
