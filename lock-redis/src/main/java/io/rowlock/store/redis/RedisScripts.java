package io.rowlock.store.redis;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.rowlock.LockStoreException;
import io.rowlock.store.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts. A call ends within the command timeout. One that has no effect for its caller any more has none on the server
 * either, unless it may come late: the server compares its clock with the time that is sent along. Thread-safe.
 */
final class RedisScripts {
    /** The greatest number that a script can tell from its neighbours. */
    static final long ANY_TIME = (1L << 53) - 1;

    private static final String LATE = "L";
    private static final Duration PAUSE = Duration.ofMillis(10);

    final RedisServers<?> servers;
    final LockKeys keys;
    final RedisSettings settings;

    /** Of each server. */
    final Map<String, ServerClock> clocks = new ConcurrentHashMap<>();

    RedisScripts(RedisServers<?> servers, RedisSettings settings) {
        this.servers = servers;
        this.keys = new LockKeys(settings.keyPrefix());
        this.settings = settings;
    }

    /**
     * A script with its lock keys and arguments.
     *
     * @param mayBeLate true if it does no harm whenever it is carried out; else it has no effect once its caller does not wait any more
     */
    record Call(Script script, boolean mayBeLate, List<String> lockKeys, List<?> arguments) {
        /** A call that does no harm whenever it is carried out. */
        static Call of(Script script, String lockKey, Object... arguments) {
            return new Call(script, true, List.of(lockKey), List.of(arguments));
        }

        /** A call that has no effect once its caller does not wait any more. */
        static Call inTime(Script script, String lockKey, Object... arguments) {
            return new Call(script, false, List.of(lockKey), List.of(arguments));
        }
    }

    /**
     * Runs a call over the connection that all threads share.
     *
     * @throws UnansweredException if it may have been carried out, or still may be
     * @throws LockStoreException if it was not
     */
    Answer run(Call call) {
        return send(call).answer();
    }

    /** Sends a call over the connection that all threads share. Waits for nothing, if the call may come late. */
    Sent send(Call call) {
        return send(call, key -> servers.commands());
    }

    /** As {@link #send(Call)}, over a connection of the caller. */
    Sent send(Call call, RedisServers.Route route) {
        return new Sent(call, route);
    }

    /** A call on its way, for one thread. It is sent again as long as no server has carried it out. */
    final class Sent {
        private final Call call;
        private final RedisServers.Route route;
        private final String[] redisKeys;
        private final long start = System.nanoTime();
        private long notAfter = ANY_TIME;
        private @Nullable RedisClusterAsyncCommands<String, String> connection;
        private Future<List<Object>> answer;

        private Sent(Call call, RedisServers.Route route) {
            this.call = call;
            this.route = route;
            this.redisKeys = keys.of(call.lockKeys().toArray(String[]::new));
            this.answer = send(false);
        }

        /** The connection over which it was sent at last; null if there was none. */
        @Nullable
        RedisClusterAsyncCommands<String, String> connection() {
            return connection;
        }

        /** @param whole with the text of the script, not with its digest */
        private Future<List<Object>> send(boolean whole) {
            notAfter = call.mayBeLate() ? ANY_TIME : serverTime();
            // Only the keys are for the codec, which needs a buffer for each
            CommandArgs<String, String> all = new CommandArgs<>(StringCodec.UTF8)
                    .add(whole ? call.script().source : call.script().digest)
                    .add(redisKeys.length)
                    .addKeys(redisKeys)
                    .add(settings.keepIdle().toMillis())
                    .add(notAfter);
            call.arguments().forEach(argument -> all.add(String.valueOf(argument)));
            try {
                connection = route.to(redisKeys[0]);
                CommandType type = whole ? CommandType.EVAL : CommandType.EVALSHA;
                return connection.dispatch(type, new NestedMultiOutput<>(StringCodec.UTF8), all);
            } catch (RedisException e) {
                boolean known = RedisFailure.of(e).isPassing();
                return CompletableFuture.failedFuture(known ? e : new RedisConnectionException(e.toString(), e));
            }
        }

        /** The server's time at which this process gives the call up, or earlier. */
        private long serverTime() {
            long end = start + settings.commandTimeout().toNanos();
            return clock().at(end).orElseGet(() -> {
                // Its own clock, not that of the server that had the slot when it was sent
                ServerClock answering = new ServerClock();
                answering.answered(
                        run(Call.of(Script.LOOK, call.lockKeys().get(0))).time(), System.nanoTime());
                return answering.at(end).orElse(ANY_TIME);
            });
        }

        private ServerClock clock() {
            return clocks.computeIfAbsent(servers.serverOf(redisKeys[0]), name -> new ServerClock());
        }

        /**
         * Waits for the answer.
         *
         * @throws UnansweredException if the call may have been carried out, or still may be
         * @throws LockStoreException if it was not
         */
        Answer answer() {
            return answer(settings.commandTimeout(), settings.connectTimeout());
        }

        /**
         * As {@link #answer()}, but not for longer.
         *
         * @param atMost how long an answer is waited for, counted from when it was sent first
         * @param forMaster how long a master is waited for, counted in the same way; at most three quarters of the other one
         */
        Answer answer(Duration atMost, Duration forMaster) {
            long end =
                    start + Math.min(atMost.toNanos(), settings.commandTimeout().toNanos());
            while (true) {
                try {
                    Answer found = new Answer(await(answer, end));
                    boolean late = found.status().equals(LATE);
                    if (late) { // though its caller still waits: the server's clock was set
                        clock().forget();
                    }
                    clock().answered(found.time(), System.nanoTime());
                    if (!late) {
                        return found;
                    }
                    if (end - System.nanoTime() <= 0) {
                        throw new LockStoreException(
                                "The lock store failed: the server got to the command too late to carry it out; look at its load",
                                null);
                    }
                    answer = send(false);
                } catch (TimeoutException | CancellationException e) {
                    boolean unused = answer.cancel(false);
                    throw unanswered(RedisFailure.NO_ANSWER, e);
                } catch (ExecutionException e) {
                    Throwable cause = e.getCause() == null ? e : e.getCause();
                    RedisFailure failure = RedisFailure.of(cause);
                    if (failure.isPassing()) {
                        // The last answer needs time to arrive
                        awaitMaster(failure, cause, start + Math.min((end - start) / 4 * 3, forMaster.toNanos()));
                    } else if (failure != RedisFailure.NO_SCRIPT) {
                        throw failure.isWithoutEffect() ? failure.exception(cause) : unanswered(failure, cause);
                    }
                    answer = send(failure == RedisFailure.NO_SCRIPT);
                }
            }
        }

        /** Of a call that changes nothing, nothing is open: neither of itself, nor of one that was to be sent after it. */
        private LockStoreException unanswered(RedisFailure failure, Throwable cause) {
            return call.script() == Script.LOOK
                    ? new LockStoreException(failure.message(cause), cause)
                    : new UnansweredException(failure.message(cause), cause, notAfter);
        }

        /** No master has got it. Fails once that has lasted for too long, else waits a moment. */
        private void awaitMaster(RedisFailure failure, Throwable cause, long giveUp) {
            servers.lookForMasters(failure);
            if (giveUp - System.nanoTime() <= 0) {
                throw failure.exception(cause);
            }
            Backoff.pauseUninterrupted(PAUSE);
        }
    }

    /**
     * Sends a command that is no script, and waits for its answer.
     *
     * @throws LockStoreException if none came, or an error
     */
    static <T> T ask(Supplier<? extends Future<T>> command, Duration atMost) {
        try {
            return await(command.get(), System.nanoTime() + atMost.toNanos());
        } catch (ExecutionException | TimeoutException | CancellationException | RedisException e) {
            Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
            throw RedisFailure.of(cause).exception(cause);
        }
    }

    /** An interrupt is for the program: it would only make a lease uncertain here. */
    private static <T> T await(Future<T> future, long end) throws ExecutionException, TimeoutException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
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
}
