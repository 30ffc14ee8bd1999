package io.rowlock.store.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import java.util.List;

/** A single server, or the one that Sentinel calls the master at the time of a connection. */
final class DirectServers extends RedisServers<StatefulRedisConnection<String, String>> {
    private final RedisClient client;
    private final boolean alone;

    /** @param alone whether no replica can take its place */
    DirectServers(RedisClient client, boolean alone) {
        super(client.connect(StringCodec.UTF8), () -> client.connectPubSub(StringCodec.UTF8));
        this.client = client;
        this.alone = alone;
    }

    @Override
    RedisClusterAsyncCommands<String, String> commands() {
        return connection.async();
    }

    @Override
    OwnConnection open() {
        StatefulRedisConnection<String, String> own = client.connect(StringCodec.UTF8);
        return new OwnConnection(own, key -> own.async());
    }

    /** A master that has become a replica may keep its connections; a new one leads to the server that is the master now. */
    @Override
    void lookForMasters(RedisFailure failure) {
        if (!alone && failure == RedisFailure.READ_ONLY) {
            var unused = connection.async().quit();
        }
    }

    @Override
    List<RedisClusterAsyncCommands<String, String>> masters() {
        return List.of(commands());
    }

    @Override
    int slot(String key) {
        return 0;
    }

    @Override
    String serverOf(String key) {
        return "";
    }

    @Override
    String kind() {
        return alone ? "one server" : "a master behind Sentinel";
    }

    @Override
    boolean isAlone() {
        return alone;
    }
}
