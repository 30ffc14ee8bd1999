package io.rowlock.client;

import io.rowlock.LockListener;
import io.rowlock.client.lock.StaleReads;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.LockClientSettings;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import io.rowlock.store.TransactionLocks;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes a {@link RowlockClient}. Not thread-safe. */
public final class RowlockClientBuilder {
    final List<LockStore> stores;
    Iterable<? extends LockListener> listeners = List.of();
    LockLog log = LockLog.NONE;
    LockInstrumentation instrumentation = LockInstrumentation.NONE;
    Ticker ticker = Ticker.SYSTEM;
    Function<String, StaleReads.Policy> staleReads = any -> StaleReads.Policy.REFUSE;

    @Nullable
    TransactionLocks transactionLocks;

    private String strategy;
    private Duration ttl = Duration.ofSeconds(30);
    private Duration waitTime = Duration.ofSeconds(10);
    private String keyPrefix = "";
    private @Nullable String owner;
    private boolean renewal = true;
    private @Nullable Duration renewalInterval;
    private Handoff handoff = Handoff.DEFAULT;

    RowlockClientBuilder(Collection<? extends LockStore> stores) {
        if (stores.isEmpty()) {
            throw new IllegalArgumentException("A lock client needs at least one store");
        }
        this.stores = List.copyOf(stores);
        this.strategy = this.stores.get(0).strategy();
    }

    /**
     * The strategy of requests that name none.
     *
     * @param name the strategy of one of the stores; by default that of the first
     */
    public RowlockClientBuilder strategy(String name) {
        this.strategy = name;
        return this;
    }

    /**
     * The ttl of requests that name none: how long a dead holder keeps a lock.
     *
     * @param time within the limits of the strategy; 30 seconds by default
     */
    public RowlockClientBuilder ttl(Duration time) {
        this.ttl = time;
        return this;
    }

    /**
     * Sets how long {@link io.rowlock.LockClient#acquire} waits for a busy lock if the request does not say.
     *
     * @param time zero to try once; 10 seconds by default
     */
    public RowlockClientBuilder waitTime(Duration time) {
        this.waitTime = time;
        return this;
    }

    /**
     * Text before every key, which keeps applications that share the tables apart.
     *
     * @param prefix at most 200 bytes of UTF-8; empty by default
     */
    public RowlockClientBuilder keyPrefix(String prefix) {
        this.keyPrefix = prefix;
        return this;
    }

    /**
     * Sets how this process is shown in the tables.
     *
     * @param name unique among the processes that use the tables, at most 100 characters; a random UUID by default
     */
    public RowlockClientBuilder owner(String name) {
        this.owner = name;
        return this;
    }

    /**
     * Sets whether leases are renewed unless a request says otherwise.
     *
     * @param enabled true by default
     */
    public RowlockClientBuilder renewal(boolean enabled) {
        this.renewal = enabled;
        return this;
    }

    /**
     * Sets how often leases are renewed.
     *
     * @param time the longest time between two renewals; null, the default, for a third of the shortest ttl in use
     */
    public RowlockClientBuilder renewalInterval(@Nullable Duration time) {
        this.renewalInterval = time;
        return this;
    }

    /**
     * Sets how long a lease may be handed on among the threads of the process.
     *
     * @param limits {@link Handoff#DEFAULT} by default: 100 times within 100 milliseconds
     */
    public RowlockClientBuilder handoff(Handoff limits) {
        this.handoff = limits;
        return this;
    }

    /**
     * The listeners to notify of what happens to locks.
     *
     * @param all in the order in which they are notified, read again for each event; none by default
     */
    public RowlockClientBuilder listeners(Iterable<? extends LockListener> all) {
        this.listeners = all;
        return this;
    }

    /**
     * Where grants are noted.
     *
     * @param history closed with the client; {@link LockLog#NONE} by default
     */
    public RowlockClientBuilder log(LockLog history) {
        this.log = history;
        return this;
    }

    /**
     * Sets what the client is measured with.
     *
     * @param meters {@link LockInstrumentation#NONE} by default
     */
    public RowlockClientBuilder instrumentation(LockInstrumentation meters) {
        this.instrumentation = meters;
        return this;
    }

    /**
     * Locks that are part of the caller's transaction, for requests of strategy {@link TransactionLocks#STRATEGY}.
     *
     * @param locks null, the default, if there are none
     */
    public RowlockClientBuilder transactionLocks(@Nullable TransactionLocks locks) {
        this.transactionLocks = locks;
        return this;
    }

    /**
     * Sets what becomes of a write, under a lock, of data that was read before the lock was acquired.
     *
     * @param policy by {@link io.rowlock.LockRequest#name}; always {@link StaleReads.Policy#REFUSE} by default
     */
    public RowlockClientBuilder staleReads(Function<String, StaleReads.Policy> policy) {
        this.staleReads = policy;
        return this;
    }

    /** The clock elapsed time is read from: the system's by default. */
    RowlockClientBuilder ticker(Ticker clock) {
        this.ticker = clock;
        return this;
    }

    LockClientSettings settings() {
        String shownAs = owner == null ? UUID.randomUUID().toString() : owner;
        return new LockClientSettings(strategy, ttl, waitTime, keyPrefix, shownAs, renewal, renewalInterval, handoff);
    }

    /**
     * The client, which acquires locks from now on.
     *
     * @throws IllegalArgumentException if a value is out of its limits or those of the default strategy
     */
    public RowlockClient build() {
        return new RowlockClient(this);
    }
}
