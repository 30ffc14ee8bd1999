package io.rowlock.benchmark.contender;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.benchmark.server.Pools;
import io.rowlock.benchmark.server.Servers;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import io.rowlock.store.jdbc.queue.NamedLocks;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Rowlock by its public API, with the settings the starter would choose. */
public final class RowlockLocks implements Locks {
    private static final TablePrefix PREFIX = new TablePrefix("rowlock_");
    private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(3);

    /** As the starter's, whose pools have 8 connections each. */
    private static final int PLACES = 8;

    private final HikariDataSource pool;
    private final List<HikariDataSource> more;
    private final NamedLocks turnstile;
    private final LockStore store;
    private final RowlockClient client;

    private RowlockLocks(Servers servers, int threads, Strategy strategy, boolean logged) {
        this(servers, threads, List.of(Pools.openOnDemand(servers, PLACES)), strategy, logged);
    }

    /** @param more the pool to wait in, and what else the strategy has */
    private RowlockLocks(Servers servers, int threads, List<HikariDataSource> more, Strategy strategy, boolean logged) {
        this.more = more;
        pool = Pools.open(servers, threads);
        turnstile = new NamedLocks(more.get(0), PLACES, QUERY_TIMEOUT);
        store = strategy.store(database(pool), turnstile);
        client = client(store, logged ? new AsyncLockLog(database(pool), PREFIX) : LockLog.NONE);
    }

    /** Makes the store of a strategy. */
    @FunctionalInterface
    private interface Strategy {
        LockStore store(LockDatabase database, NamedLocks turnstile);
    }

    static RowlockLocks lease(Servers servers, int threads) {
        return leases(servers, threads, false);
    }

    static RowlockLocks loggedLease(Servers servers, int threads) {
        return leases(servers, threads, true);
    }

    private static RowlockLocks leases(Servers servers, int threads, boolean logged) {
        HikariDataSource packets = Pools.openForPackets(servers, LeaseStore.BATCHES);
        return new RowlockLocks(
                servers,
                threads,
                List.of(Pools.openOnDemand(servers, PLACES), packets),
                (database, turnstile) -> new LeaseStore(database, PREFIX, turnstile, database(packets)),
                logged);
    }

    static RowlockLocks uniqueKey(Servers servers, int threads) {
        return new RowlockLocks(
                servers, threads, (database, turnstile) -> new UniqueKeyStore(database, PREFIX, turnstile), false);
    }

    static RowlockLocks rowLock(Servers servers, int threads) {
        return rowLock(servers, threads, false);
    }

    static RowlockLocks fencedRowLock(Servers servers, int threads) {
        return rowLock(servers, threads, true);
    }

    private static RowlockLocks rowLock(Servers servers, int threads, boolean fenced) {
        int size = Math.max(PLACES, threads);
        HikariDataSource held = Pools.openForTransactions(servers, size);
        return new RowlockLocks(
                servers,
                threads,
                List.of(held),
                (database, turnstile) -> new RowLockStore(database, held, size, PREFIX, QUERY_TIMEOUT, fenced),
                false);
    }

    private static LockDatabase database(HikariDataSource connections) {
        return new LockDatabase(connections, QUERY_TIMEOUT);
    }

    /**
     * @param connections the pool
     * @return the store of strategy {@code lease} alone
     */
    public static LockStore leases(HikariDataSource connections) {
        return new LeaseStore(database(connections), PREFIX);
    }

    /**
     * @param store the one strategy
     * @return a client that keeps no history
     */
    public static RowlockClient client(LockStore store) {
        return client(store, LockLog.NONE);
    }

    private static RowlockClient client(LockStore store, LockLog log) {
        return RowlockClient.builder(store)
                .waitTime(Duration.ofSeconds(PATIENCE_SECONDS))
                .owner("benchmark-" + UUID.randomUUID())
                .log(log)
                .build();
    }

    @Override
    public Worker worker() {
        return new ClientWorker(client);
    }

    @Override
    public void close() {
        client.close();
        store.close();
        turnstile.close();
        more.forEach(HikariDataSource::close);
        pool.close();
    }
}
