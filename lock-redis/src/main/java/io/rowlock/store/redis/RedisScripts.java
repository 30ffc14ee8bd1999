package io.rowlock.store.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.rowlock.LockStoreException;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs scripts. A call ends within the command timeout. One that has no effect for its caller any more has none on the server
 * either, unless it says that it may come late: the server compares its clock with the time that is sent along. Thread-safe.
 */
final class RedisScripts {
    /** The greatest number that a script can tell from its neighbours. */
    static final long ANY_TIME = (1L << 53) - 1;

    private static final String LATE = "L";
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);

    private final RedisServers servers;

    /** The connection that all threads share. */
    private final Route shared;

    private final LockKeys keys;
    private final long commandTimeout;
    private final long connectTimeout;
    private final String keep;

    /** Of each server. */
    final Map<String, ServerClock> clocks = new ConcurrentHashMap<>();

    RedisScripts(RedisServers servers, LockKeys keys, RedisSettings settings) {
        this.servers = servers;
        this.shared = key -> servers.commands();
        this.keys = keys;
        this.commandTimeout = settings.commandTimeout().toNanos();
        this.connectTimeout = settings.connectTimeout().toNanos();
        this.keep = String.valueOf(settings.keepIdle().toMillis());
    }

    /** Which connection a call takes, by a key of it. */
    @FunctionalInterface
    interface Route {
        RedisClusterAsyncCommands<String, String> to(String redisKey);
    }

    /** A script with its lock keys and arguments. */
    record Call(Script script, List<String> lockKeys, List<String> arguments) {
        static Call of(Script script, String lockKey, Object... arguments) {
            return new Call(script, List.of(lockKey), texts(arguments));
        }

        static List<String> texts(Object... arguments) {
            List<String> texts = new ArrayList<>(arguments.length);
            for (Object argument : arguments) {
                texts.add(String.valueOf(argument));
            }
            return texts;
        }
    }

    /**
     * Runs a call that does no harm whenever it is carried out.
     *
     * @throws UnansweredException if it may have been carried out, or still may be
     * @throws LockStoreException if it was not
     */
    Answer run(Call call) {
        return run(call, false, shared);
    }

    /**
     * As {@link #run(Call)}, but waits no longer than that, and not for a master.
     *
     * @throws LockStoreException as {@link #run(Call)} does
     */
    Answer run(Call call, Duration atMost) {
        long end = System.nanoTime() + Math.min(atMost.toNanos(), commandTimeout);
        try {
            return finish(call, ANY_TIME, shared, send(call), end);
        } catch (RedisException e) {
            throw exception(e);
        }
    }

    /** As {@link #run(Call)}, but has no effect once the caller does not wait any more. */
    Answer runInTime(Call call) {
        return run(call, true, shared);
    }

    /** As {@link #runInTime(Call)}, over a connection of the caller. */
    Answer runInTime(Call call, Route route) {
        return run(call, true, route);
    }

    private Answer run(Call call, boolean inTime, Route route) {
        long start = System.nanoTime();
        long end = start + commandTimeout;
        long giveUpConnecting = start + Math.min(connectTimeout, commandTimeout);
        while (true) {
            long notAfter = inTime ? serverTime(call, end) : ANY_TIME;
            try {
                Answer answer = finish(call, notAfter, route, send(call, notAfter, route), end);
                if (!answer.status().equals(LATE)) {
                    return answer;
                }
                found(call, answer, end);
            } catch (RedisException e) {
                requireMaster(e, giveUpConnecting);
            }
        }
    }

    /** A call that was found late though its caller still waits: the server's clock was set. */
    private void found(Call call, Answer late, long end) {
        clock(call).forget();
        clock(call).answered(late.time(), System.nanoTime());
        if (end - System.nanoTime() <= 0) {
            throw new LockStoreException(
                    "The lock store failed: the server got to the command too late to carry it out; look at its load",
                    null);
        }
    }

    /** There was no master. Fails once that has lasted for too long, else waits a moment. */
    private void requireMaster(RedisException noMaster, long giveUp) {
        servers.lookForMasters(failure(noMaster));
        if (giveUp - System.nanoTime() <= 0) {
            throw exception(noMaster);
        }
        boolean interrupted = Thread.interrupted(); // else there would be no pause
        LockSupport.parkNanos(PAUSE);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private ServerClock clock(Call call) {
        String key = call.lockKeys().get(0);
        return clocks.computeIfAbsent(servers.serverOf(keys.gate(key)), name -> new ServerClock());
    }

    /** The server's time at which this process gives the call up, or earlier. */
    private long serverTime(Call call, long end) {
        ServerClock clock = clock(call);
        return clock.at(end).orElseGet(() -> {
            Answer unused = run(Call.of(Script.LOOK, call.lockKeys().get(0)));
            return clock.at(end).orElse(ANY_TIME);
        });
    }

    /**
     * Sends a call that does no harm whenever it is carried out, and waits for nothing.
     *
     * @throws RedisException if it cannot be sent
     */
    Future<List<Object>> send(Call call) {
        return send(call, ANY_TIME, shared);
    }

    private CompletableFuture<List<Object>> send(Call call, long notAfter, Route route) {
        String[] redisKeys = redisKeys(call);
        return route.to(redisKeys[0])
                .<List<Object>>evalsha(
                        call.script().digest(), ScriptOutputType.MULTI, redisKeys, arguments(call, notAfter))
                .toCompletableFuture();
    }

    private CompletableFuture<List<Object>> sendWhole(Call call, long notAfter, Route route) {
        String[] redisKeys = redisKeys(call);
        return route.to(redisKeys[0])
                .<List<Object>>eval(
                        call.script().source(), ScriptOutputType.MULTI, redisKeys, arguments(call, notAfter))
                .toCompletableFuture();
    }

    private String[] redisKeys(Call call) {
        return keys.of(call.lockKeys().toArray(String[]::new));
    }

    private String[] arguments(Call call, long notAfter) {
        List<String> all = new ArrayList<>(call.arguments().size() + 2);
        all.add(keep);
        all.add(String.valueOf(notAfter));
        all.addAll(call.arguments());
        return all.toArray(String[]::new);
    }

    /** The answer to a call that was sent with {@link #send(Call)} at that time. */
    Answer answer(Call call, Future<List<Object>> sent, long at) {
        try {
            return finish(call, ANY_TIME, shared, sent, at + commandTimeout);
        } catch (RedisException e) {
            throw exception(e);
        }
    }

    /** Of a call that no master has got. */
    private static RedisFailure failure(RedisException noMaster) {
        RedisFailure failure = RedisFailure.of(noMaster.getCause() == null ? noMaster : noMaster.getCause());
        return failure.isPassing() ? failure : RedisFailure.NOT_SENT;
    }

    private static LockStoreException exception(RedisException noMaster) {
        return failure(noMaster).exception(noMaster.getCause() == null ? noMaster : noMaster.getCause());
    }

    /** @throws RedisException if no master has got it */
    private Answer finish(Call call, long notAfter, Route route, Future<List<Object>> sent, long end) {
        Future<List<Object>> future = sent;
        while (true) {
            try {
                Answer answer = new Answer(await(future, end));
                clock(call).answered(answer.time(), System.nanoTime());
                return answer;
            } catch (TimeoutException e) {
                boolean unused = future.cancel(false);
                throw unanswered(RedisFailure.NO_ANSWER, e, notAfter);
            } catch (CancellationException e) {
                throw unanswered(RedisFailure.NO_ANSWER, e, notAfter);
            } catch (ExecutionException e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                switch (RedisFailure.of(cause)) {
                    case NO_SCRIPT -> future = sendWhole(call, notAfter, route);
                    case NOT_SENT, READ_ONLY, NOT_READY, CLUSTER_DOWN, MOVED -> throw new RedisException(cause);
                    default -> throw failed(RedisFailure.of(cause), cause, notAfter);
                }
            }
        }
    }

    private static LockStoreException failed(RedisFailure failure, Throwable cause, long notAfter) {
        return failure.isWithoutEffect() ? failure.exception(cause) : unanswered(failure, cause, notAfter);
    }

    private static UncertainOutcomeException unanswered(RedisFailure failure, Throwable cause, long notAfter) {
        return new UnansweredException(failure.message(cause), cause, notAfter);
    }

    /** An interrupt is for the program: it would only make a lease uncertain here. */
    static <T> T await(Future<T> future, long end) throws ExecutionException, TimeoutException {
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
