package io.rowlock.store.redis;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.rowlock.LockStoreException;
import io.rowlock.store.NoConnectionException;
import java.time.Duration;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Acquires leases that count only once replicas have them, where that is asked for. WAIT blocks its connection and knows only what
 * that has written, so every attempt has one of its own while it runs. Thread-safe.
 */
final class Replication implements AutoCloseable {
    private static final int CONNECTIONS = 8;

    /** The attempt was answered, so that nothing comes of it later. */
    private static final long AT_ONCE = 0;

    private final RedisScripts scripts;
    private final Semaphore free = new Semaphore(CONNECTIONS, true);
    private final Deque<RedisServers.OwnConnection> idle = new ConcurrentLinkedDeque<>();

    Replication(RedisScripts scripts) {
        this.scripts = scripts;
    }

    /** True if a lease counts only once replicas have it, which no message says. */
    boolean isRequired() {
        return scripts.settings.minReplicas() > 0;
    }

    /**
     * Makes an attempt and, if it gets a lease, waits for the replicas.
     *
     * @param undo revokes the lease that too few of them have
     * @throws LockStoreException as {@link RedisScripts#run}; or if it got a lease that too few have, which is none
     */
    Answer acquire(RedisScripts.Call call, Supplier<RedisScripts.Call> undo) {
        if (!isRequired()) {
            return scripts.run(call);
        }
        RedisServers.OwnConnection connection = borrow();
        Answer answer;
        LockStoreException refusal = null;
        boolean answered = false;
        try {
            RedisScripts.Sent sent = scripts.send(call, connection.route());
            answer = sent.answer();
            if (answer.status().equals("G")) {
                refusal = refusal(Objects.requireNonNull(sent.connection()));
            }
            answered = refusal == null;
        } finally {
            giveBack(connection, answered);
        }
        if (refusal != null) {
            throw revoked(undo.get(), refusal);
        }
        return answer;
    }

    /**
     * Waits for the replicas.
     *
     * @param connection over which the lease was acquired
     * @return why the lease is none, or null if it is one
     */
    private @Nullable LockStoreException refusal(RedisClusterAsyncCommands<String, String> connection) {
        int replicas = scripts.settings.minReplicas();
        Duration timeout = scripts.settings.minReplicasTimeout();
        long have;
        try {
            have = RedisScripts.ask(
                    () -> connection.waitForReplication(replicas, timeout.toMillis()),
                    timeout.plus(scripts.settings.commandTimeout()));
        } catch (LockStoreException e) {
            return refused("whether replicas have the lock is not known: " + e.getMessage(), e.getCause());
        }
        return have >= replicas
                ? null
                : refused(
                        "%d of the %d replicas that rowlock.redis.min-replicas asks for had the lock after %s"
                                .formatted(have, replicas, timeout),
                        null);
    }

    private static LockStoreException refused(String reason, @Nullable Throwable cause) {
        return new LockStoreException("The lock is not granted: " + reason, cause);
    }

    private LockStoreException revoked(RedisScripts.Call undo, LockStoreException refusal) {
        try {
            Answer unused = scripts.run(undo);
            return refusal;
        } catch (LockStoreException e) {
            refusal.addSuppressed(e);
            return new UnansweredException(String.valueOf(refusal.getMessage()), refusal, AT_ONCE);
        }
    }

    private RedisServers.OwnConnection borrow() {
        awaitOne();
        RedisServers.OwnConnection connection = idle.poll();
        if (connection != null) {
            return connection;
        }
        try {
            return scripts.servers.open();
        } catch (RuntimeException | Error e) {
            free.release();
            throw RedisFailure.NOT_SENT.exception(e);
        }
    }

    /** @throws NoConnectionException if none came free in time, or the thread was interrupted, which it is again then */
    private void awaitOne() {
        try {
            boolean first = !free.hasQueuedThreads();
            if (!(first && free.tryAcquire())
                    && !free.tryAcquire(scripts.settings.commandTimeout().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new NoConnectionException(
                        "The lock store failed: all %d connections wait for replicas; look at their load and rowlock.redis.min-replicas"
                                .formatted(CONNECTIONS),
                        null,
                        true);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NoConnectionException(
                    "The lock store failed: the thread was interrupted while it waited for a connection", e, true);
        }
    }

    /**
     * A connection that may be blocked for a while, or leads to a server that is no master any more, is of no use to the next attempt. The
     * idle ones may lead there, too.
     */
    private void giveBack(RedisServers.OwnConnection connection, boolean answered) {
        if (answered) {
            idle.push(connection);
        }
        free.release();
        if (!answered) {
            connection.opened().close();
            close();
        }
    }

    @Override
    public void close() {
        for (RedisServers.OwnConnection each = idle.poll(); each != null; each = idle.poll()) {
            each.opened().close();
        }
    }
}
