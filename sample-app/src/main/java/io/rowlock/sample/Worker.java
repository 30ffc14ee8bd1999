package io.rowlock.sample;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.client.LockClientSettings;
import io.rowlock.client.RowlockClient;
import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderRole;
import io.rowlock.store.jdbc.LeaseStore;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.TablePrefix;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A worker as a process of its own would be: a lock client on a pool of its own, one vote for the coordinator, and a share of
 * the partitions. Built without Spring Boot. Thread-safe.
 */
final class Worker {
    private static final Logger log = LoggerFactory.getLogger(Worker.class);
    private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(3);
    private static final int CONNECTIONS = 4;

    /** The locks by which workers know of each other. */
    private static final String PRESENCE = "worker:";

    private static final String COUNT_WORKERS = """
            SELECT COUNT(*)
            FROM rowlock_locks_held
            WHERE lock_key LIKE 'worker:%'
            """;

    private final String name;
    private final Pace pace;
    private final Lifeline lifeline = new Lifeline();
    private final HikariDataSource pool;
    private final RowlockClient client;
    private final LeaderElections elections;
    private final LeaderElection coordinator;
    private final PartitionShare share;
    private final ScheduledExecutorService rounds = Executors.newSingleThreadScheduledExecutor();
    private volatile WorkerState.Condition condition = WorkerState.Condition.RUNNING;
    private @Nullable HeldLock presence; // touched by the rounds only

    Worker(String name, JdbcConnectionDetails database, Pace pace) {
        this.name = name;
        this.pace = pace;
        pool = pool(database);
        LeaseStore store = new LeaseStore(new LockDatabase(pool, QUERY_TIMEOUT, false), new TablePrefix("rowlock_"));
        client = new RowlockClient(List.of(lifeline.around(store)), settings(name, pace), List.of());
        elections = new LeaderElections(client, List.of());
        coordinator = elections.join(
                LeaderRole.named("coordinator").withTtl(pace.ttl()).withInterval(pace.round()));
        share = new PartitionShare(client, pace.ttl());
        elections.start();
        long millis = pace.round().toMillis();
        Future<?> unused = rounds.scheduleWithFixedDelay(this::round, 0, millis, TimeUnit.MILLISECONDS);
    }

    private static HikariDataSource pool(JdbcConnectionDetails database) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.getJdbcUrl());
        config.setUsername(database.getUsername());
        config.setPassword(database.getPassword());
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(2_000);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 1, time_zone = '+00:00'");
        return new HikariDataSource(config);
    }

    private static LockClientSettings settings(String name, Pace pace) {
        String owner = name + "#" + UUID.randomUUID().toString().substring(0, 6);
        return new LockClientSettings(LeaseStore.NAME, pace.ttl(), Duration.ZERO, "", owner, true, true, null);
    }

    private void round() {
        try {
            if (lifeline.isOpen()) {
                bePresent();
                share.round(Math.max(1, workers()));
            }
        } catch (RuntimeException e) {
            log.debug("{} could not take its round", name, e);
        }
    }

    private void bePresent() {
        if (presence != null && !presence.isHeld()) {
            presence.close();
            presence = null;
        }
        if (presence == null) {
            presence = client.tryAcquire(LockRequest.exclusive(PRESENCE + name).withTtl(pace.ttl()))
                    .orElse(null);
        }
    }

    private int workers() {
        return JdbcClient.create(pool).sql(COUNT_WORKERS).query(Integer.class).single();
    }

    WorkerState state() {
        return new WorkerState(name, condition, coordinator.isLeader(), coordinator.term(), share.claimed());
    }

    /** Stands still: threads go on only when it is resumed. */
    synchronized void pause() {
        if (condition == WorkerState.Condition.RUNNING) {
            condition = WorkerState.Condition.PAUSED;
            lifeline.pause();
        }
    }

    synchronized void resume() {
        if (condition == WorkerState.Condition.PAUSED) {
            condition = WorkerState.Condition.RUNNING;
            lifeline.resume();
        }
    }

    /** Ends as an application does that is closed: what it has is free at once. */
    void stop() {
        end(WorkerState.Condition.STOPPED);
    }

    /** Ends as a process does that is killed: what it has stays taken for the ttl. */
    void kill() {
        lifeline.cut();
        end(WorkerState.Condition.KILLED);
    }

    private synchronized void end(WorkerState.Condition end) {
        if (condition.isOver()) {
            return;
        }
        condition = end;
        lifeline.resume();
        rounds.shutdown();
        elections.close();
        client.close();
        pool.close();
    }
}
