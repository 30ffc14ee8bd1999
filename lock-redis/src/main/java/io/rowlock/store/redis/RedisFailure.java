package io.rowlock.store.redis;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.rowlock.LockStoreException;
import io.rowlock.store.UncertainOutcomeException;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.springframework.core.NestedExceptionUtils;

/** The meaning of a failed command for a lock. The first whose words are in the message of the server or driver counts. */
enum RedisFailure {
    /** The server does not have the script: it is sent whole. */
    NO_SCRIPT("the server has lost its scripts", "^NOSCRIPT"),

    /** The client has no connection at the moment. */
    NOT_SENT(
            "Redis cannot be reached; look at its address, the credentials and the network",
            "Commands are rejected|^Connection is closed$"),

    // An error inside of a script has the server's word somewhere in its message, not always at the beginning
    READ_ONLY(
            "the server is a replica and accepts no writes; the master is being replaced, or the address is a replica's",
            "READONLY "),
    OUT_OF_MEMORY("the server is out of memory; look at maxmemory, and set maxmemory-policy to noeviction", "OOM "),
    CLUSTER_DOWN("the cluster does not serve the slot of this key; look at CLUSTER INFO", "CLUSTERDOWN |TRYAGAIN "),
    MOVED("the cluster is moving the slot of this key", "^MOVED |^ASK "),

    // The refusal of a command in a script has another wording than that of a client's, and another one again from
    // Redis 7.2 on
    NO_RIGHTS(
            "the Redis user lacks a right; see \"Rights\" in the documentation of the strategy redis",
            "NOPERM |NOAUTH |WRONGPASS |The user executing the script can't |ACL failure in script"),
    NOT_READY("the server does not serve commands at the moment", "LOADING |MASTERDOWN |MISCONF |NOREPLICAS |^BUSY "),

    /** Sent, but no answer came in time, or one that does not say what was done. */
    NO_ANSWER(
            "no answer came in time; look at the network, the server's load and rowlock.redis.command-timeout",
            "^Connection "),

    OTHER("the command failed", "");

    private final String advice;
    private final Pattern words;

    RedisFailure(String advice, String words) {
        this.advice = advice;
        this.words = Pattern.compile(words);
    }

    static RedisFailure of(Throwable error) {
        if (error instanceof RedisConnectionException) {
            return NOT_SENT;
        }
        if (error instanceof PartitionSelectorException) { // the driver knows no server for the slot
            return CLUSTER_DOWN;
        }
        if (!(error instanceof RedisException)) {
            return NO_ANSWER;
        }
        String message = String.valueOf(error.getMessage());
        return Arrays.stream(values())
                .filter(failure -> failure.words.matcher(message).find())
                .findFirst()
                .orElse(OTHER);
    }

    /** Returns true if it passes when another server takes over, or this one is ready. */
    boolean isPassing() {
        return this == NOT_SENT || this == READ_ONLY || this == NOT_READY || this == CLUSTER_DOWN || this == MOVED;
    }

    /** Returns true if the server has certainly changed nothing. A script that lacks a right may have done part of its work. */
    boolean isWithoutEffect() {
        return this != NO_ANSWER && this != OTHER && this != NO_RIGHTS;
    }

    LockStoreException exception(Throwable error) {
        String message = message(error);
        return isWithoutEffect()
                ? new LockStoreException(message, error)
                : new UncertainOutcomeException(message, error);
    }

    String message(Throwable error) {
        Throwable root = NestedExceptionUtils.getMostSpecificCause(error);
        String message = root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
        return "The lock store failed: %s (%s)".formatted(advice, message);
    }
}
