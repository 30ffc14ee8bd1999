package io.rowlock.store.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A single server, or the one that Sentinel calls the master at the time of a connection. */
final class DirectServers extends RedisServers<StatefulRedisConnection<String, String>> {
    private static final long BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(500);

    private final RedisClient client;
    private final boolean alone;
    private final AtomicLong lastLook = new AtomicLong(System.nanoTime() - BETWEEN_LOOKS);

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

    /**
     * A master that has become a replica may keep its connections; a new one leads to the server that is the master now, also where
     * only an address moves. All calls that met the replica together ask for one new connection.
     */
    @Override
    void lookForMasters(RedisFailure failure) {
        long now = System.nanoTime();
        long last = lastLook.get();
        if (failure == RedisFailure.READ_ONLY && now - last >= BETWEEN_LOOKS && lastLook.compareAndSet(last, now)) {
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
