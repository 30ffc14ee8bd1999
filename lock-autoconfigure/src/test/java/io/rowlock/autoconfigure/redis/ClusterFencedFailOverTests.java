package io.rowlock.autoconfigure.redis;

import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.servers.ThreeMasters;
import io.rowlock.test.redis.RedisServer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;

@Tag("full")
class ClusterFencedFailOverTests extends FencedFailOverContract {
    private ThreeMasters servers;

    @Override
    RedisServer start() throws Exception {
        servers = ThreeMasters.startWithReplicas();
        return servers.masters().get(0);
    }

    @Override
    TestApplication on(TestApplication application) {
        return application.with(
                "spring.data.redis.cluster.nodes",
                servers.nodes().stream()
                        .map(server -> server.host() + ":" + server.port())
                        .collect(Collectors.joining(",")));
    }

    @Override
    void stop() {
        servers.close();
    }

    @Override
    String key(String name) {
        return ThreeMasters.keyOfTheFirst(name);
    }
}
