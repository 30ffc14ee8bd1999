package io.rowlock.store.memory;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.LockStore.Drained;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.StoreCapabilities.Handoffs;
import io.rowlock.store.inspection.StoreInspection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A lock table in memory, for one JVM: for tests that need locks but no database, and as the reference of what a store does.
 * The store is held to the same contract as the strategies on databases. Its clock is {@link System#nanoTime}.
 *
 * <p>Thread-safe. Several clients, each with an owner of its own, may share one store as several processes share a database.
 * Locks of one table exclude each other, whichever of its stores acquires them; two tables know nothing of each other.
 */
public final class InMemoryLockStore implements LockStore {
    /** The name of the strategy unless it gets another one. */
    public static final String NAME = "memory";

    private static final StoreCapabilities CAPABILITIES =
            new StoreCapabilities(Set.of(LockMode.values()), Duration.ofMillis(1), true, Handoffs.RANGE);

    private final InMemoryTable table;
    private final String strategy;
    private final StoreCapabilities capabilities;
    private final Predicate<@Nullable DataSource> checked;

    /** A store with a table of its own, called {@value #NAME}. */
    public InMemoryLockStore() {
        this(new InMemoryTable(), NAME, CAPABILITIES, any -> true);
    }

    private InMemoryLockStore(
            InMemoryTable table,
            String strategy,
            StoreCapabilities capabilities,
            Predicate<@Nullable DataSource> checked) {
        this.table = table;
        this.strategy = strategy;
        this.capabilities = capabilities;
        this.checked = checked;
    }

    /**
     * Another store of the same table. Unlike those of two strategies, locks of two such stores exclude each other.
     *
     * @param other what it is called, for example the strategy it stands in for
     * @return the store
     */
    public InMemoryLockStore named(String other) {
        return new InMemoryLockStore(table, other, capabilities, checked);
    }

    /**
     * A store of the same table that takes and checks no more than a strategy that it stands in for.
     *
     * @param other what that is called
     * @param limits what that takes; hand-offs stay those of memory
     * @param checks the transactions whose commits that checks, by their DataSource, if they have one
     * @return the store
     */
    public InMemoryLockStore standingIn(
            String other, StoreCapabilities limits, Predicate<@Nullable DataSource> checks) {
        StoreCapabilities own = new StoreCapabilities(
                limits.modes(), limits.shortestTtl(), limits.lastsForTtl(), CAPABILITIES.handoffs());
        return new InMemoryLockStore(table, other, own, checks);
    }

    /**
     * Ends the term of a lease now, as if its ttl had passed without a renewal. Its holder finds out by its next renewal or
     * check.
     *
     * @param lease the lease; harmless if it has ended
     */
    public void expire(Lease lease) {
        int unused = table.ask(lease.key(), row -> row.expire(lease::equals));
    }

    /**
     * Ends the terms of all leases of a key now.
     *
     * @param key the key, with {@code rowlock.key-prefix}
     */
    public void expire(String key) {
        int unused = table.ask(key, row -> row.expire(any -> true));
    }

    @Override
    public String strategy() {
        return strategy;
    }

    @Override
    public StoreCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        return table.ask(request.key(), row -> row.tryAcquire(request));
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        return table.ask(request.key(), row -> row.abandon(request));
    }

    @Override
    public Drained drained(Lease lease) {
        return table.ask(lease.key(), InMemoryKey::drained);
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        Map<Lease, Renewal> outcome = new LinkedHashMap<>();
        leases.forEach(lease -> outcome.put(lease, table.ask(lease.key(), row -> row.renew(lease, ttl))));
        return outcome;
    }

    @Override
    public Downgrade downgrade(Lease exclusive, long token, LeaseRequest shared) {
        return table.ask(exclusive.key(), row -> row.downgrade(exclusive, token, shared));
    }

    @Override
    public boolean release(Lease lease, Duration keepFor) {
        return table.ask(lease.key(), row -> row.release(lease, keepFor));
    }

    @Override
    public Optional<StoreInspection> inspection() {
        return Optional.of(table);
    }

    /**
     * {@inheritDoc} Unless it stands in for another one, every transaction is checked, wherever its connections come from. Unlike a database, this table cannot keep others from
     * acquiring the lease between the check and the end of the commit.
     */
    @Override
    public Optional<CommitCheck> commitCheck(@Nullable DataSource transactional) {
        CommitCheck check =
                lease -> table.ask(lease.key(), row -> row.live(lease)).isPresent();
        return checked.test(transactional) ? Optional.of(check) : Optional.empty();
    }
}
