package io.rowlock.store.redis;

import static io.rowlock.store.redis.RedisAttempts.micros;
import static io.rowlock.store.redis.RedisAttempts.mode;

import io.lettuce.core.RedisException;
import io.rowlock.LockStoreException;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Renews many leases: up to a hundred a call, and all calls before the first answer. Thread-safe. */
final class RedisRenewal {
    private static final int MOST = 100;

    private final RedisServers servers;
    private final RedisScripts scripts;
    private final LockKeys keys;

    RedisRenewal(RedisServers servers, RedisScripts scripts, LockKeys keys) {
        this.servers = servers;
        this.scripts = scripts;
        this.keys = keys;
    }

    /** A call on its way. */
    private record Pending(
            List<Lease> leases,
            RedisScripts.Call call,
            @Nullable Future<List<Object>> sent,
            long at) {}

    /** @see io.rowlock.store.LockStore#renew */
    Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        List<Pending> pending = new ArrayList<>();
        groups(leases).forEach(group -> pending.add(send(group, ttl)));
        Map<Lease, Renewal> outcome = new LinkedHashMap<>();
        LockStoreException failure = null;
        boolean answered = pending.isEmpty();
        for (Pending each : pending) {
            try {
                put(each, answer(each), outcome);
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
        Map<Integer, List<Lease>> slots = new TreeMap<>();
        for (Lease lease : leases) {
            slots.computeIfAbsent(servers.slot(keys.gate(lease.key())), slot -> new ArrayList<>())
                    .add(lease);
        }
        List<List<Lease>> groups = new ArrayList<>();
        for (List<Lease> slot : slots.values()) {
            for (int from = 0; from < slot.size(); from += MOST) {
                groups.add(slot.subList(from, Math.min(from + MOST, slot.size())));
            }
        }
        return groups;
    }

    private Pending send(List<Lease> leases, Duration ttl) {
        List<String> arguments = RedisScripts.Call.texts(micros(ttl));
        for (Lease lease : leases) {
            arguments.addAll(RedisScripts.Call.texts(mode(lease.mode()), lease.fence(), lease.slot()));
        }
        RedisScripts.Call call = new RedisScripts.Call(
                Script.RENEW, leases.stream().map(Lease::key).toList(), arguments);
        try {
            return new Pending(leases, call, scripts.send(call), System.nanoTime());
        } catch (RedisException e) {
            return new Pending(leases, call, null, System.nanoTime());
        }
    }

    /** A renewal that could not be sent at once waits for the connection. */
    private Answer answer(Pending pending) {
        return pending.sent() == null
                ? scripts.run(pending.call())
                : scripts.answer(pending.call(), pending.sent(), pending.at());
    }

    private static void put(Pending pending, Answer answer, Map<Lease, Renewal> outcome) {
        for (int i = 0; i < pending.leases().size(); i++) {
            outcome.put(pending.leases().get(i), answer.isTrue(i + 2) ? Renewal.RENEWED : Renewal.LOST);
        }
    }
}
