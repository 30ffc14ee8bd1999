package io.rowlock.store.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;

/** A single server, or the one that Sentinel calls the master at the time of a connection. */
final class DirectServers implements RedisServers {
    private final RedisClient client;
    private final boolean alone;
    private final StatefulRedisConnection<String, String> connection;
    private final StatefulRedisPubSubConnection<String, String> messages;

    /** @param alone whether no replica can take its place */
    DirectServers(RedisClient client, boolean alone) {
        this.client = client;
        this.alone = alone;
        this.connection = client.connect(StringCodec.UTF8);
        try {
            this.messages = client.connectPubSub(StringCodec.UTF8);
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public RedisClusterAsyncCommands<String, String> commands() {
        return connection.async();
    }

    @Override
    public OwnConnection open() {
        StatefulRedisConnection<String, String> own = client.connect(StringCodec.UTF8);
        return new OwnConnection() {
            @Override
            public RedisClusterAsyncCommands<String, String> commands(String key) {
                return own.async();
            }

            @Override
            public void close() {
                own.close();
            }
        };
    }

    @Override
    public void subscribe(String channel, RedisPubSubListener<String, String> listener) {
        messages.addListener(listener);
        messages.sync().subscribe(channel);
    }

    @Override
    public void checkMessages() {
        var unused = messages.async().ping();
    }

    /** A master that has become a replica may keep its connections; a new one leads to the server that is the master now. */
    @Override
    public void lookForMasters(RedisFailure failure) {
        if (!alone && failure == RedisFailure.READ_ONLY) {
            var unused = connection.async().quit();
        }
    }

    @Override
    public List<RedisClusterAsyncCommands<String, String>> masters() {
        return List.of(commands());
    }

    @Override
    public int slot(String key) {
        return 0;
    }

    @Override
    public String serverOf(String key) {
        return "";
    }

    @Override
    public String kind() {
        return alone ? "one server" : "a master behind Sentinel";
    }

    @Override
    public boolean isAlone() {
        return alone;
    }

    @Override
    public void close() {
        messages.close();
        connection.close();
    }
}
