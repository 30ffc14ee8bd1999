package io.rowlock.store.redis;

import static io.rowlock.store.redis.RedisAttempts.micros;
import static io.rowlock.store.redis.RedisAttempts.mode;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.LockStore.Drained;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.inspection.StoreInspection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Strategy {@code redis}: a lease is a few fields of a hash, and each step is one script. Tokens follow the server's clock and grow
 * with every exclusive lease; each lease has 128 of them. Thread-safe.
 *
 * <p>The client that is passed in is for this store alone, because it needs other options than most applications want. It is not
 * closed with the store.
 */
public final class RedisLockStore implements LockStore {
    /** The name of this strategy in {@code rowlock.strategy}. */
    public static final String NAME = "redis";

    private static final Duration SHORTEST_TTL = Duration.ofMillis(100);

    /** The distance from the fence of a lease to the token of the readers after it: the last of its 128 tokens. */
    private static final int READERS = 127;

    /** Of the tokens of a lease, all but the first, which is its fence, and the last, which readers have. */
    private static final int MOST_HANDOFFS = READERS - 1;

    /** The limits of every store of this strategy; whether a lease lasts for its ttl depends on the servers. */
    public static final StoreCapabilities CAPABILITIES =
            new StoreCapabilities(Set.of(LockMode.values()), SHORTEST_TTL, true, (fence, held) -> MOST_HANDOFFS);

    private final RedisScripts scripts;
    private final Replication replication;
    final Inbox inbox;
    private final RedisAttempts attempts;
    private final RedisRenewal renewal;
    private final RedisInspection inspection;

    private RedisLockStore(RedisServers<?> servers, RedisSettings settings) {
        this.scripts = new RedisScripts(servers, settings);
        this.replication = new Replication(scripts);
        this.inbox = new Inbox(settings, servers::checkMessages);
        this.attempts = new RedisAttempts(scripts, replication, inbox);
        this.renewal = new RedisRenewal(scripts);
        this.inspection = new RedisInspection(scripts, inbox.channel());
    }

    /**
     * A store on one server. If that has no replica that could take its place, its leases last for their ttl as long as it keeps its data.
     *
     * @param client for this store alone; its options are set
     * @param settings how to work with it
     * @return the store, connected
     * @throws LockStoreException if the server cannot be reached
     */
    public static RedisLockStore standalone(RedisClient client, RedisSettings settings) {
        LettuceOptions.apply(client, settings);
        return connected(() -> new DirectServers(client, true), settings);
    }

    /**
     * A store on the master that Sentinel knows. A replica that takes its place may lack the last leases.
     *
     * @param client for this store alone, with a URI that names the Sentinels; its options are set
     * @param settings how to work with it
     * @return the store, connected
     * @throws LockStoreException if the master cannot be reached
     */
    public static RedisLockStore sentinel(RedisClient client, RedisSettings settings) {
        LettuceOptions.apply(client, settings);
        return connected(() -> new DirectServers(client, false), settings);
    }

    /**
     * A store on a Redis Cluster. A replica that takes the place of its master may lack the last leases.
     *
     * @param client for this store alone; its options are set
     * @param settings how to work with it
     * @return the store, connected
     * @throws LockStoreException if the cluster cannot be reached
     */
    public static RedisLockStore cluster(RedisClusterClient client, RedisSettings settings) {
        LettuceOptions.apply(client, settings);
        return connected(() -> new ClusterServers(client), settings);
    }

    private static RedisLockStore connected(Supplier<RedisServers<?>> connect, RedisSettings settings) {
        RedisServers<?> servers = null;
        try {
            servers = connect.get();
            RedisLockStore store = new RedisLockStore(servers, settings);
            servers.subscribe(store.inbox.channel(), store.inbox);
            return store;
        } catch (RedisException e) {
            if (servers != null) {
                servers.close();
            }
            throw RedisFailure.NOT_SENT.exception(e);
        }
    }

    @Override
    public String strategy() {
        return NAME;
    }

    @Override
    public StoreCapabilities capabilities() {
        return CAPABILITIES;
    }

    /** {@inheritDoc} A replica that takes the place of its master may lack the last leases. */
    @Override
    public boolean lastsForTtl() {
        return inspection.isLasting();
    }

    // ---- acquiring

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        return attempts.tryOnce(request);
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        return attempts.abandon(request);
    }

    @Override
    public WaitQueue queue() {
        return attempts;
    }

    @Override
    public Drained drained(Lease lease) {
        Answer answer = scripts.run(RedisScripts.Call.of(Script.DRAINED, lease.key(), lease.fence()));
        List<ExpiredLease> expired = new ArrayList<>();
        for (int i = 3; i + 5 < answer.size(); i += 6) {
            LockMode mode = RedisInspection.mode(answer.number(i + 4));
            Lease reader = new Lease(lease.key(), mode, answer.number(i), answer.number(i + 3), answer.text(i + 5));
            expired.add(new ExpiredLease(reader, RedisAttempts.ofMicros(answer.number(i + 2) - answer.number(i + 1))));
        }
        return new Drained(answer.isTrue(2), expired);
    }

    // ---- the life of a lease

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        return renewal.renew(leases, ttl);
    }

    /** {@inheritDoc} It has the token that the other readers have then. */
    @Override
    public Downgrade downgrade(Lease exclusive, long token, LeaseRequest shared) {
        Answer answer = scripts.run(RedisScripts.Call.inTime(
                Script.DOWNGRADE,
                exclusive.key(),
                exclusive.fence(),
                shared.nonce(),
                shared.owner(),
                micros(shared.ttl())));
        return answer.isTrue(2)
                ? new Downgrade.Shared(new Lease(
                        exclusive.key(), LockMode.SHARED, shared.nonce(), exclusive.fence() + READERS, shared.owner()))
                : new Downgrade.Lost();
    }

    /** A call that comes late must not keep the key for longer. */
    @Override
    public boolean release(Lease lease, Duration keepFor) {
        List<Object> arguments = List.of(micros(keepFor), mode(lease.mode()), lease.fence(), lease.slot());
        return scripts.run(new RedisScripts.Call(Script.RELEASE, keepFor.isZero(), List.of(lease.key()), arguments))
                .isTrue(2);
    }

    /**
     * Ends a lease whose token is smaller than one that was seen before, unless its key has been granted anew since. It is one
     * of a server that has lost its data and whose clock is behind: from then on tokens of the key are greater than what was seen.
     *
     * @param lease the lease; its holder has no use for it any more
     * @param seen the greatest token that was seen
     * @return whether it was ended
     * @throws LockStoreException if it is not known
     */
    public boolean raise(Lease lease, long seen) {
        LockMode held = lease.slot() == 0 ? LockMode.EXCLUSIVE : LockMode.SHARED;
        return scripts.run(
                        RedisScripts.Call.of(Script.RAISE, lease.key(), mode(held), lease.fence(), lease.slot(), seen))
                .isTrue(2);
    }

    // ---- looking

    @Override
    public Optional<StoreInspection> inspection() {
        return Optional.of(inspection);
    }

    /**
     * Asks the server what it is.
     *
     * @return what a start-up line says of it
     * @throws LockStoreException if it could not be asked
     */
    public RedisReport report() {
        return inspection.report();
    }

    @Override
    public void close() {
        replication.close();
        scripts.servers.close();
    }
}
