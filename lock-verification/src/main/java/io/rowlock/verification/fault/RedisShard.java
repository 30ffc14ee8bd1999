package io.rowlock.verification.fault;

import io.rowlock.verification.fault.RedisNode.Role;
import io.rowlock.verification.history.Recorder;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A leader and those that follow it. Thread-safe. */
final class RedisShard {
    private static final long LONG = Duration.ofSeconds(30).toNanos();
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(50);

    private final List<RedisNode> nodes;
    private final Optional<RedisNode> sentinel;
    private final int firstSlot;
    private final int lastSlot;
    /** When each was last asked and followed. */
    private final Map<RedisNode, Long> followed = new HashMap<>();
    /** Leaders that have not been seen to follow since another leads, and since when that may be. */
    private final Map<RedisNode, Long> replaced = new HashMap<>();

    private volatile RedisNode leader;

    RedisShard(List<RedisNode> nodes, Optional<RedisNode> sentinel, int firstSlot, int lastSlot) {
        this.nodes = nodes;
        this.sentinel = sentinel;
        this.firstSlot = firstSlot;
        this.lastSlot = lastSlot;
        this.leader = nodes.get(0);
        nodes.forEach(node -> followed.put(node, Recorder.now()));
    }

    List<RedisNode> nodes() {
        return nodes;
    }

    RedisNode leader() {
        return leader;
    }

    /** Tells of each leader that has been replaced, once it is known to follow. */
    synchronized void look(Redis.Watch watch) {
        for (RedisNode node : nodes) {
            long asked = Recorder.now();
            Role role = node.role();
            if (role == Role.FOLLOWS) {
                followed.put(node, asked);
                Long since = replaced.remove(node);
                if (since != null) {
                    watch.failedOver(firstSlot, lastSlot, since, Recorder.now());
                }
            } else if (role == Role.LEADS && node != leader && !replaced.containsKey(node)) {
                replaced.put(leader, followed.getOrDefault(node, 0L));
                leader = node;
            }
        }
    }

    /** Tells of those that were not seen to follow. */
    synchronized void end(Redis.Watch watch) {
        replaced.values().forEach(since -> watch.failedOver(firstSlot, lastSlot, since, Recorder.now()));
        replaced.clear();
    }

    /** An operator asks for it. */
    void exchange() throws IOException {
        if (sentinel.isPresent()) {
            sentinel.get().command("SENTINEL FAILOVER " + Redis.NAME);
            return;
        }
        for (RedisNode node : nodes) {
            if (node != leader) {
                node.command("CLUSTER FAILOVER");
            }
        }
    }

    /** Keeps from its replicas all that the leader writes from now on. */
    void cut() throws IOException {
        leader.command("ACL SETUSER default -psync -sync");
        leader.command("CLIENT KILL TYPE replica");
    }

    void awaitAnother(RedisNode former) throws IOException {
        long end = System.nanoTime() + LONG;
        while (leader == former) {
            if (System.nanoTime() - end > 0) {
                throw new IOException("no other server of Redis leads");
            }
            Fault.last(LOOK);
        }
    }

    /** Waits until all others follow the leader. Who comes back as a leader is told to follow, before Sentinel does so. */
    void settle() throws IOException {
        long end = System.nanoTime() + LONG;
        while (!isSettled()) {
            if (System.nanoTime() - end > 0) {
                throw new IOException("the servers of Redis do not agree on a leader");
            }
            for (RedisNode node : nodes) {
                if (sentinel.isPresent() && node != leader && node.role() == Role.LEADS) {
                    node.command("REPLICAOF 127.0.0.1 " + leader.port());
                }
            }
            Fault.last(LOOK);
        }
    }

    private boolean isSettled() throws IOException {
        RedisNode now = leader;
        for (RedisNode node : nodes) {
            if (node == now ? node.role() != Role.LEADS : !node.isInSync()) {
                return false;
            }
        }
        String seen = sentinel.isPresent() ? sentinel.get().command("SENTINEL MASTER " + Redis.NAME) : "";
        return !seen.contains("_down") && !seen.contains("failover_in_progress");
    }
}
