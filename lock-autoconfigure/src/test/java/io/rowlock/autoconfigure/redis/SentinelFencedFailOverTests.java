package io.rowlock.autoconfigure.redis;

import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.servers.MasterAndReplica;
import io.rowlock.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;

@Tag("full")
class SentinelFencedFailOverTests extends FencedFailOverContract {
    private MasterAndReplica servers;

    @Override
    RedisServer start() throws Exception {
        servers = MasterAndReplica.start();
        return servers.master();
    }

    @Override
    TestApplication on(TestApplication application) {
        return application
                .with("spring.data.redis.sentinel.master", MasterAndReplica.NAME)
                .with(
                        "spring.data.redis.sentinel.nodes",
                        "127.0.0.1:" + servers.sentinel().port());
    }

    @Override
    void stop() throws Exception {
        servers.close();
    }

    @Override
    String key(String name) {
        return name;
    }
}
