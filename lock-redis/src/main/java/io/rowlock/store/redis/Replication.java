package io.rowlock.store.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.rowlock.LockStoreException;
import java.time.Duration;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Takes leases that count only once replicas have them. WAIT blocks its connection and knows only what that has written, so
 * every attempt has one of its own while it runs. Thread-safe.
 */
final class Replication implements AutoCloseable {
    private static final int CONNECTIONS = 8;
    private static final String GRANTED = "G";

    private final RedisServers servers;
    private final RedisScripts scripts;
    private final int replicas;
    private final Duration timeout;
    private final Duration commandTimeout;
    private final Semaphore free = new Semaphore(CONNECTIONS, true);
    private final Deque<RedisServers.OwnConnection> idle = new ConcurrentLinkedDeque<>();

    Replication(RedisServers servers, RedisScripts scripts, RedisSettings settings) {
        this.servers = servers;
        this.scripts = scripts;
        this.replicas = settings.minReplicas();
        this.timeout = settings.minReplicasTimeout();
        this.commandTimeout = settings.commandTimeout();
    }

    /** A lease was taken, but too few replicas have it. The caller must take it back. */
    static final class TooFewReplicasException extends LockStoreException {
        private static final long serialVersionUID = 1L;

        private TooFewReplicasException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** True if a lease counts only once replicas have it. */
    boolean isRequired() {
        return replicas > 0;
    }

    /**
     * Makes an attempt and, if it takes a lease, waits for the replicas.
     *
     * @throws TooFewReplicasException if it took one that they do not have
     * @throws LockStoreException as {@link RedisScripts#runInTime}
     */
    Answer acquire(RedisScripts.Call call) {
        RedisServers.OwnConnection connection = borrow();
        boolean blocked = false;
        try {
            AtomicReference<RedisClusterAsyncCommands<String, String>> used = new AtomicReference<>();
            Answer answer = scripts.runInTime(call, key -> {
                RedisClusterAsyncCommands<String, String> own = connection.commands(key);
                used.set(own);
                return own;
            });
            if (answer.status().equals(GRANTED)) {
                blocked = true;
                requireReplicas(Objects.requireNonNull(used.get()));
                blocked = false;
            }
            return answer;
        } finally {
            giveBack(connection, blocked);
        }
    }

    /** @param connection over which the lease was taken */
    private void requireReplicas(RedisClusterAsyncCommands<String, String> connection) {
        long end = System.nanoTime() + timeout.plus(commandTimeout).toNanos();
        long have;
        try {
            have = RedisScripts.await(connection.waitForReplication(replicas, timeout.toMillis()), end);
        } catch (ExecutionException e) {
            throw unknown(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException | CancellationException | RedisException e) {
            throw unknown(e);
        }
        if (have < replicas) {
            throw refused(
                    "%d of the %d replicas that rowlock.redis.min-replicas asks for had the lock after %s"
                            .formatted(have, replicas, timeout),
                    null);
        }
    }

    private static TooFewReplicasException unknown(Throwable cause) {
        return refused(
                "whether replicas have the lock is not known: "
                        + RedisFailure.of(cause).message(cause),
                cause);
    }

    private static TooFewReplicasException refused(String reason, @Nullable Throwable cause) {
        return new TooFewReplicasException("The lock is not granted: " + reason, cause);
    }

    private RedisServers.OwnConnection borrow() {
        if (!acquireOne()) {
            throw new LockStoreException(
                    "The lock store failed: all %d connections wait for replicas; look at their load and rowlock.redis.min-replicas"
                            .formatted(CONNECTIONS),
                    null);
        }
        RedisServers.OwnConnection connection = idle.poll();
        if (connection != null) {
            return connection;
        }
        try {
            return servers.open();
        } catch (RedisException e) {
            free.release();
            throw RedisFailure.NOT_SENT.exception(e);
        }
    }

    /** An interrupt is for the program, as in {@link RedisScripts}. */
    private boolean acquireOne() {
        long end = System.nanoTime() + commandTimeout.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return free.tryAcquire(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A connection that may be blocked for a while is of no use to the next attempt. */
    private void giveBack(RedisServers.OwnConnection connection, boolean blocked) {
        if (blocked) {
            connection.close();
        } else {
            idle.push(connection);
        }
        free.release();
    }

    @Override
    public void close() {
        for (RedisServers.OwnConnection each = idle.poll(); each != null; each = idle.poll()) {
            each.close();
        }
    }
}
