package io.rowlock.store.redis;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.models.role.RedisInstance;
import io.lettuce.core.pubsub.RedisPubSubListener;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A Redis Cluster. Messages reach every node, so one connection gets them all. */
final class ClusterServers implements RedisServers {
    private static final long BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(500);

    private final RedisClusterClient client;
    private final AtomicLong looked = new AtomicLong(System.nanoTime());
    private final StatefulRedisClusterConnection<String, String> connection;
    private final StatefulRedisClusterPubSubConnection<String, String> messages;

    ClusterServers(RedisClusterClient client) {
        this.client = client;
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
        return new NodeConnections(client.connect(StringCodec.UTF8));
    }

    /**
     * One connection to each node. WAIT knows only what its own connection has written, so it must not be sent to where the slot
     * has moved meanwhile.
     */
    private record NodeConnections(StatefulRedisClusterConnection<String, String> own) implements OwnConnection {
        @Override
        public RedisClusterAsyncCommands<String, String> commands(String key) {
            RedisClusterNode node = own.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
            if (node == null) {
                throw new RedisConnectionException("No node serves the slot of this key");
            }
            return own.getConnection(node.getNodeId()).async();
        }

        @Override
        public void close() {
            own.close();
        }
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

    /** The driver does so by itself, but not soon. */
    @Override
    public void lookForMasters(RedisFailure failure) {
        long last = looked.get();
        long now = System.nanoTime();
        if (now - last >= BETWEEN_LOOKS && looked.compareAndSet(last, now)) {
            CompletionStage<Void> unused = client.refreshPartitionsAsync();
        }
    }

    @Override
    public List<RedisClusterAsyncCommands<String, String>> masters() {
        return connection.getPartitions().stream()
                .filter(node -> node.getRole() == RedisInstance.Role.UPSTREAM
                        && !node.getSlots().isEmpty())
                .<RedisClusterAsyncCommands<String, String>>map(
                        node -> connection.getConnection(node.getNodeId()).async())
                .toList();
    }

    @Override
    public int slot(String key) {
        return SlotHash.getSlot(key);
    }

    @Override
    public String serverOf(String key) {
        RedisClusterNode node = connection.getPartitions().getPartitionBySlot(slot(key));
        return node == null ? "" : node.getNodeId();
    }

    @Override
    public String kind() {
        return "a cluster of " + masters().size() + " masters";
    }

    @Override
    public boolean isAlone() {
        return false;
    }

    @Override
    public void close() {
        messages.close();
        connection.close();
    }
}
