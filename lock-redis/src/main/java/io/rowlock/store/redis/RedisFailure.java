package io.rowlock.store.redis;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.rowlock.LockStoreException;
import io.rowlock.store.UncertainOutcomeException;
import java.util.concurrent.TimeoutException;

/** The meaning of a failed command for a lock. */
enum RedisFailure {
    /** The server does not have the script: it is sent whole. */
    NO_SCRIPT("the server has lost its scripts"),

    /** The client has no connection at the moment. */
    NOT_SENT("Redis cannot be reached; look at its address, the credentials and the network"),

    READ_ONLY(
            "the server is a replica and takes no writes; the master is being replaced, or the address is a replica's"),
    OUT_OF_MEMORY("the server is out of memory; look at maxmemory, and set maxmemory-policy to noeviction"),
    NOT_READY("the server does not serve commands at the moment"),
    CLUSTER_DOWN("the cluster does not serve the slot of this key; look at CLUSTER INFO"),
    MOVED("the cluster is moving the slot of this key"),
    NO_RIGHTS("the Redis user lacks a right; see \"Rights\" in the documentation of the strategy redis"),

    /** Sent, but no answer came in time, or one that does not say what was done. */
    NO_ANSWER("no answer came in time; look at the network, the server's load and rowlock.redis.command-timeout"),

    OTHER("the command failed");

    private final String advice;

    RedisFailure(String advice) {
        this.advice = advice;
    }

    static RedisFailure of(Throwable error) {
        if (error instanceof RedisNoScriptException) {
            return NO_SCRIPT;
        }
        if (error instanceof RedisConnectionException) {
            return NOT_SENT;
        }
        if (error instanceof PartitionSelectorException) { // the driver knows no server for the slot
            return CLUSTER_DOWN;
        }
        if (error instanceof TimeoutException) {
            return NO_ANSWER;
        }
        return error instanceof RedisException ? of(String.valueOf(error.getMessage())) : NO_ANSWER;
    }

    /** An error inside of a script has the server's word somewhere in its message, not always at the beginning. */
    private static RedisFailure of(String message) {
        if (message.contains("Commands are rejected") || message.equals("Connection is closed")) {
            return NOT_SENT;
        }
        if (message.contains("READONLY ")) {
            return READ_ONLY;
        }
        if (message.contains("OOM ")) {
            return OUT_OF_MEMORY;
        }
        if (message.contains("CLUSTERDOWN ") || message.contains("TRYAGAIN ")) {
            return CLUSTER_DOWN;
        }
        if (message.startsWith("MOVED ") || message.startsWith("ASK ")) {
            return MOVED;
        }
        if (isOfRights(message)) {
            return NO_RIGHTS;
        }
        boolean notReady = message.contains("LOADING ")
                || message.contains("MASTERDOWN ")
                || message.contains("MISCONF ")
                || message.contains("NOREPLICAS ")
                || message.startsWith("BUSY ");
        return notReady ? NOT_READY : message.startsWith("Connection ") ? NO_ANSWER : OTHER;
    }

    /** The refusal of a command in a script has another wording than that of a client's, and another one again from Redis 7.2 on. */
    private static boolean isOfRights(String message) {
        return message.contains("NOPERM ")
                || message.contains("NOAUTH ")
                || message.contains("WRONGPASS ")
                || message.contains("The user executing the script can't ")
                || message.contains("ACL failure in script");
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
        return "The lock store failed: %s (%s)".formatted(advice, rootMessage(error));
    }

    private static String rootMessage(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String message = root.getMessage();
        return message == null ? root.getClass().getSimpleName() : message;
    }
}
