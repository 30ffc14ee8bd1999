package io.rowlock.client;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.LockRequest;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.LockLog;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.TablePrefix;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import io.rowlock.store.jdbc.log.SyncLockLog;
import io.rowlock.store.jdbc.queue.NamedLocks;
import io.rowlock.test.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** One process of an application, as far as locks go: a client with an owner and a pool of its own. */
public final class Node implements AutoCloseable {
    public static final TablePrefix PREFIX = new TablePrefix("rowlock_");
    static final int TICKETS = 4;
    /** Half of it is how long a try without patience waits for its answer; the row may be locked for the first second. */
    static final Duration QUERY_TIMEOUT = Duration.ofSeconds(6);

    final HikariDataSource pool;
    public final LockDatabase database;
    final LockLog log;
    final NamedLocks namedLocks;
    final ScriptedStore store;
    final List<LockEvent> events = new CopyOnWriteArrayList<>();
    public final RowlockClient client;

    /** How far the node's clock is ahead of the machine's: a pause that takes no time. */
    final AtomicLong clockAhead = new AtomicLong();

    /** What happens right before a thread of the node looks at its clock. */
    volatile Runnable beforeClockRead = () -> {};

    public Node(TestSchema schema, String owner, LockListener... listeners) {
        this(Pools.locks(schema), owner, Logging.OFF, listeners);
    }

    public Node(HikariDataSource pool, String owner, Logging logging, LockListener... listeners) {
        this(pool, pool, owner, logging, listeners);
    }

    public Node(HikariDataSource pool, String owner, Logging logging, Handoff handoff) {
        this(pool, pool, owner, logging, handoff);
    }

    /** @param connections the pool, as the node sees it */
    public Node(
            HikariDataSource pool, DataSource connections, String owner, Logging logging, LockListener... listeners) {
        this(pool, connections, owner, logging, Handoff.DEFAULT, listeners);
    }

    private Node(
            HikariDataSource pool,
            DataSource connections,
            String owner,
            Logging logging,
            Handoff handoff,
            LockListener... listeners) {
        this.pool = pool;
        database = new LockDatabase(connections, pool.getMaximumPoolSize() - TICKETS, QUERY_TIMEOUT, false);
        log = logging.open(database);
        namedLocks = new NamedLocks(connections, TICKETS, QUERY_TIMEOUT);
        store = new ScriptedStore(
                new LeaseStore(database, PREFIX, log instanceof SyncLockLog sync ? sync : null, namedLocks));
        List<LockListener> all = new ArrayList<>(List.of(new PromptListener(events::add)));
        all.addAll(Arrays.asList(listeners));
        client = RowlockClient.builder(store)
                .owner(owner)
                .handoff(handoff)
                .listeners(all)
                .log(log)
                .ticker(this::time)
                .build();
    }

    private long time() {
        beforeClockRead.run();
        return System.nanoTime() + clockAhead.get();
    }

    /** How grants are noted. */
    public enum Logging {
        OFF,
        ASYNC,
        SYNC;

        private LockLog open(LockDatabase database) {
            return switch (this) {
                case OFF -> LockLog.NONE;
                case ASYNC -> new AsyncLockLog(database, PREFIX);
                case SYNC -> new SyncLockLog(database, PREFIX);
            };
        }
    }

    public HeldLock take(String... keys) {
        return client.acquire(LockRequest.exclusive(keys));
    }

    public HeldLock read(String key) {
        return client.acquire(LockRequest.shared(key));
    }

    Optional<HeldLock> tryTake(String key) {
        return client.tryAcquire(LockRequest.exclusive(key));
    }

    /** Whether another node than this one's threads keeps the key from it. Takes and gives back. */
    public boolean canTake(String key) {
        Optional<HeldLock> lock = tryTake(key);
        lock.ifPresent(HeldLock::close);
        return lock.isPresent();
    }

    long count(LockEvent.Type type, String key) {
        return events.stream()
                .filter(event -> event.type() == type && event.key().equals(key))
                .count();
    }

    void pause(Duration time) {
        clockAhead.addAndGet(time.toNanos());
    }

    @Override
    public void close() {
        client.close();
        namedLocks.close();
        pool.close();
    }
}
