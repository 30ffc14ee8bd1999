package io.rowlock.stress;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A process as the lock store sees it: a pool, a store, and leases that are renewed in batches. */
final class StoreNode implements AutoCloseable {
    static final TablePrefix PREFIX = new TablePrefix("rowlock_");
    static final Duration QUERY_TIMEOUT = Duration.ofSeconds(3);
    private static final long WALL_OFFSET = wallOffsetMicros();

    static final Duration TTL = Duration.ofMillis(150);
    static final Duration TIME_LIMIT = Duration.ofSeconds(10);

    final String name;
    final LockStore store;
    final LockDatabase database;
    final Sessions sessions;
    private final HikariDataSource pool;
    private final Oracle oracle;
    private final Map<Lease, StoreHold> renewed = new ConcurrentHashMap<>();

    StoreNode(Strategy strategy, TestSchema schema, String name, Oracle oracle) {
        this.name = name;
        this.oracle = oracle;
        pool = Pools.locks(schema, 14, "");
        sessions = new Sessions(pool);
        database = new LockDatabase(sessions, 8, QUERY_TIMEOUT);
        store = strategy.store(database);
    }

    void startRenewing(StoreHold hold) {
        renewed.put(hold.lease(), hold);
    }

    void stopRenewing(StoreHold hold) {
        renewed.remove(hold.lease());
    }

    List<String> renewedKeys() {
        return renewed.keySet().stream().map(Lease::key).toList();
    }

    /** One round of the renewer. It does not look at the clock before it sends: that is the statement's business. */
    void renew(Dice dice) {
        if (dice.percent(8)) {
            dice.pause(60, 300);
        }
        List<StoreHold> batch = List.copyOf(renewed.values());
        if (!batch.isEmpty()) {
            long sent = System.nanoTime();
            try {
                Map<Lease, Renewal> outcome =
                        store.renew(batch.stream().map(StoreHold::lease).toList(), TTL);
                if (dice.percent(5)) {
                    dice.pause(30, 200);
                }
                batch.forEach(hold -> answered(hold, outcome.getOrDefault(hold.lease(), Renewal.UNKNOWN), sent));
            } catch (RuntimeException e) {
                batch.forEach(StoreHold::endUnknown);
                if (Errors.isDeadlock(e)) {
                    oracle.violation("deadlock surfaced", "renewal: " + e.getMessage());
                }
                oracle.count("renewal failed: " + Errors.name(e));
            }
        }
        dice.pause(20, 50);
    }

    private void answered(StoreHold hold, Renewal outcome, long sent) {
        oracle.count("renewals " + outcome);
        switch (outcome) {
            case RENEWED -> hold.renewed(sent, oracle);
            case LOST -> {
                hold.lost(oracle, () -> evidence(hold, sent));
                stopRenewing(hold);
            }
            case UNKNOWN -> hold.endUnknown();
        }
    }

    /** What may tell a lease that was lost from a clock that jumped. */
    private String evidence(StoreHold hold, long sent) {
        return "sent %d us ago; held now by %s; the wall clock gained %d us on the other since the start"
                .formatted(
                        (System.nanoTime() - sent) / 1_000,
                        store.inspection()
                                .orElseThrow()
                                .holder(hold.lease().key(), hold.lease().mode()),
                        wallOffsetMicros() - WALL_OFFSET);
    }

    private static long wallOffsetMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) - System.nanoTime() / 1_000;
    }

    @Override
    public void close() {
        pool.close();
    }
}
