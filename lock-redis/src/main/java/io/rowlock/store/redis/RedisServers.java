package io.rowlock.store.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.function.Supplier;

/**
 * The connections of a process to its Redis: one for commands and one for messages. Thread-safe.
 *
 * @param <C> the connection for commands
 */
abstract class RedisServers<C extends StatefulConnection<String, String>> implements AutoCloseable {
    final C connection;
    private final StatefulRedisPubSubConnection<String, String> messages;

    /**
     * Opens the connection for messages.
     *
     * @param connection the one for commands; closed if the other cannot be opened
     * @param messages opens it
     */
    RedisServers(C connection, Supplier<StatefulRedisPubSubConnection<String, String>> messages) {
        this.connection = connection;
        try {
            this.messages = messages.get();
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** The way of a command to the server that has its key. */
    @FunctionalInterface
    interface Route {
        /** @throws io.lettuce.core.RedisException if no server has the key at the moment */
        RedisClusterAsyncCommands<String, String> to(String redisKey);
    }

    /**
     * A connection that no other thread uses meanwhile.
     *
     * @param opened the connection
     * @param route always over the same connection to the same server
     */
    record OwnConnection(StatefulConnection<String, String> opened, Route route) {}

    /** Sends a command to the server that has its keys. */
    abstract RedisClusterAsyncCommands<String, String> commands();

    /** Opens a connection of its own, for commands that block it. */
    abstract OwnConnection open();

    /** Subscribes the listener to a channel, also after a reconnection. */
    void subscribe(String channel, RedisPubSubListener<String, String> listener) {
        messages.addListener(listener);
        messages.sync().subscribe(channel);
    }

    /** Sees to it that a connection for messages that has gone silent is made anew. Waits for nothing. */
    void checkMessages() {
        var unused = messages.async().ping();
    }

    /** A command met no master: looks anew for it, if that is not being done already. Waits for nothing. */
    abstract void lookForMasters(RedisFailure failure);

    /** Returns a connection for each server that has keys. */
    abstract List<RedisClusterAsyncCommands<String, String>> masters();

    /** Returns what the keys of one call must have in common. */
    abstract int slot(String key);

    /** The name of the server that has a key: each has a clock of its own. */
    abstract String serverOf(String key);

    /** Describes how the servers are run, for people to read. */
    abstract String kind();

    /** Returns true if there is only this server, so that no other can take its place without its data. */
    boolean isAlone() {
        return false;
    }

    @Override
    public void close() {
        messages.close();
        connection.close();
    }
}
