package io.rowlock.store.redis;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.RedisPubSubListener;
import java.util.List;

/** The connections of a process to its Redis: one for commands and one for messages. Thread-safe. */
interface RedisServers extends AutoCloseable {
    /** Sends a command to the server that has its keys. */
    RedisClusterAsyncCommands<String, String> commands();

    /** Opens a connection of its own, for commands that block it. */
    OwnConnection open();

    /** A connection that no other thread uses meanwhile. */
    interface OwnConnection extends AutoCloseable {
        /**
         * Sends a command to the server that has this key, always over the same connection to that server.
         *
         * @throws io.lettuce.core.RedisException if no server has it at the moment
         */
        RedisClusterAsyncCommands<String, String> commands(String key);

        @Override
        void close();
    }

    /** Subscribes the listener to a channel, also after a reconnection. */
    void subscribe(String channel, RedisPubSubListener<String, String> listener);

    /** Sees to it that a connection for messages that has gone silent is made anew. Waits for nothing. */
    void checkMessages();

    /** A command met no master: looks anew for it, if that is not being done already. Waits for nothing. */
    void lookForMasters(RedisFailure failure);

    /** Returns a connection for each server that has keys. */
    List<RedisClusterAsyncCommands<String, String>> masters();

    /** Returns what the keys of one call must have in common. */
    int slot(String key);

    /** The name of the server that has a key: each has a clock of its own. */
    String serverOf(String key);

    /** Describes how the servers are run, for people to read. */
    String kind();

    /** Returns true if there is only this server, so that no other can take its place without its data. */
    boolean isAlone();

    @Override
    void close();
}
