package io.rowlock.store.redis;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.models.role.RedisInstance;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A Redis Cluster. Messages reach every node, so one connection gets them all. */
final class ClusterServers extends RedisServers<StatefulRedisClusterConnection<String, String>> {
    private static final long BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(500);

    private final RedisClusterClient client;
    private final AtomicLong looked = new AtomicLong(System.nanoTime());

    ClusterServers(RedisClusterClient client) {
        super(client.connect(StringCodec.UTF8), () -> client.connectPubSub(StringCodec.UTF8));
        this.client = client;
    }

    @Override
    RedisClusterAsyncCommands<String, String> commands() {
        return connection.async();
    }

    /**
     * One connection to each node. WAIT knows only what its own connection has written, so it must not be sent to where the slot
     * has moved meanwhile.
     */
    @Override
    OwnConnection open() {
        StatefulRedisClusterConnection<String, String> own = client.connect(StringCodec.UTF8);
        return new OwnConnection(own, key -> {
            RedisClusterNode node = nodeOf(own, key);
            if (node == null) {
                throw new RedisConnectionException("No node serves the slot of this key");
            }
            return own.getConnection(node.getNodeId()).async();
        });
    }

    private static @Nullable RedisClusterNode nodeOf(StatefulRedisClusterConnection<String, String> each, String key) {
        return each.getPartitions().getPartitionBySlot(SlotHash.getSlot(StringCodec.UTF8.encodeKey(key)));
    }

    /** The driver does so by itself, but not soon. */
    @Override
    void lookForMasters(RedisFailure failure) {
        long last = looked.get();
        long now = System.nanoTime();
        if (now - last >= BETWEEN_LOOKS && looked.compareAndSet(last, now)) {
            CompletionStage<Void> unused = client.refreshPartitionsAsync();
        }
    }

    @Override
    List<RedisClusterAsyncCommands<String, String>> masters() {
        return connection.getPartitions().stream()
                .filter(node -> node.getRole() == RedisInstance.Role.UPSTREAM
                        && !node.getSlots().isEmpty())
                .<RedisClusterAsyncCommands<String, String>>map(
                        node -> connection.getConnection(node.getNodeId()).async())
                .toList();
    }

    /** Of the bytes that are sent: the driver counts those of a text in the charset of the process. */
    @Override
    int slot(String key) {
        return SlotHash.getSlot(StringCodec.UTF8.encodeKey(key));
    }

    @Override
    String serverOf(String key) {
        RedisClusterNode node = nodeOf(connection, key);
        return node == null ? "" : node.getNodeId();
    }

    @Override
    String kind() {
        return "a cluster of " + masters().size() + " masters";
    }
}
