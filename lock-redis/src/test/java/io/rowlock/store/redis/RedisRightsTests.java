package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.servers.ThreeMasters;
import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.inspection.KeyRange;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Users with rights of their own, in one server and in a cluster. */
@OnRedis
class RedisRightsTests {
    private static final Duration TTL = Duration.ofSeconds(30);

    /**
     * Names that servers have for the driver's {@code CLIENT SETINFO}, whose answer it ignores. The documented rights cannot name it: Redis 7.0, which
     * does not know it, refuses them then. Redis 6.2 names no subcommand.
     */
    private static final Set<Object> HARMLESS = Set.of("client|setinfo", "client");

    /** Returns the rights of the page, as a server takes them. */
    private static List<String> documented() throws Exception {
        return Files.readString(Path.of("..", "docs", "redis.md"))
                .lines()
                .filter(line -> line.startsWith("`~rowlock:*"))
                .map(line -> line.replace("`", ""))
                .findFirst()
                .map(line -> List.of(line.split(" ", -1)))
                .orElseThrow();
    }

    @Test
    void userWithTheDocumentedRightsCanDoAll() throws Exception {
        List<String> options = new ArrayList<>(List.of("--user", "locker", "on", ">word"));
        options.addAll(documented());
        RedisServer guarded = RedisServer.start(options.toArray(String[]::new));
        try (TestRedis limited = new TestRedis("redis://locker:word@127.0.0.1:" + guarded.port() + "/1")) {
            doAll(limited.store());
            long unused = limited.commands().waitForReplication(0, 1);
            assertThat(refused(guarded)).isEmpty();
        } finally {
            guarded.stop();
        }
    }

    @Test
    void userWithTheDocumentedRightsCanDoAllInACluster() throws Exception {
        try (ThreeMasters cluster = ThreeMasters.start()) {
            for (RedisServer node : cluster.nodes()) {
                define("locker", node);
            }
            List<RedisURI> uris = cluster.nodes().stream()
                    .map(node -> RedisURI.create("redis://locker:word@127.0.0.1:" + node.port()))
                    .toList();
            try (TestRedis limited = new TestRedis(uris)) {
                doAll(limited.store());
                for (RedisServer node : cluster.nodes()) {
                    assertThat(refused(node)).isEmpty();
                }
            }
        }
    }

    private static void define(String user, RedisServer node) throws Exception {
        CommandArgs<String, String> rule = new CommandArgs<>(StringCodec.UTF8)
                .add("SETUSER")
                .add(user)
                .add("on")
                .add(">word");
        documented().forEach(rule::add);
        try (RedisClient client = RedisClient.create(node.uri())) {
            String unused =
                    client.connect().sync().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), rule);
        }
    }

    /** Returns the commands that a server has refused to a user, though they were needed. */
    private static List<Object> refused(RedisServer server) {
        try (RedisClient client = RedisClient.create(server.uri())) {
            RedisCommands<String, String> commands = client.connect().sync();
            return commands.aclLog().stream()
                    .map((Map<String, Object> entry) -> entry.get("object"))
                    .filter(object -> !HARMLESS.contains(object))
                    .toList();
        }
    }

    private static void doAll(RedisLockStore locker) {
        locker.inspection().orElseThrow().requireRights();
        assertThat(locker.report().description()).containsAnyOf("Redis ", "Valkey ");
        assertThat(locker.lastsForTtl())
                .isEqualTo(!locker.report().description().contains("cluster"));
        LeaseRequest request = new LeaseRequest("guarded", LockMode.EXCLUSIVE, "node", TTL, 1, TTL, 0);
        Attempt.Taken taken = (Attempt.Taken) locker.tryAcquire(request);
        assertThat(locker.inspection().orElseThrow().page(KeyRange.of(""), 10)).hasSize(1);
        assertThat(locker.renew(List.of(taken.lease()), TTL)).hasSize(1);
        assertThat(locker.release(taken.lease())).isTrue();
    }

    @Test
    void userWithoutARightIsRefusedAtStartUp() throws Exception {
        RedisServer guarded =
                RedisServer.start("--user", "locker", "on", ">word", "~*", "resetchannels", "&*", "+@all", "-publish");
        try (TestRedis limited = new TestRedis("redis://locker:word@127.0.0.1:" + guarded.port())) {
            RedisLockStore locker = limited.store();
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> locker.inspection().orElseThrow().requireRights())
                    .withMessageContaining("lacks a right");
        } finally {
            guarded.stop();
        }
    }
}
