package io.rowlock.fault;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A server for each run that goes on at the moment, because some of them stop it. */
final class RedisTheatre implements Theatre {
    private final ClientResources resources = DefaultClientResources.builder()
            .ioThreadPoolSize(4)
            .computationThreadPoolSize(2)
            .build();
    private final Queue<RedisServer> all = new ConcurrentLinkedQueue<>();
    private final Queue<RedisServer> free = new ConcurrentLinkedQueue<>();

    @Override
    public Scene begin(Scenario scenario, String key, FaultPlan plan, Duration patience) throws IOException {
        RedisServer idle = free.poll();
        RedisServer server = idle == null ? started() : idle;
        return new RedisScene(server, key, plan, patience, resources, () -> free.add(server));
    }

    private RedisServer started() throws IOException {
        RedisServer server = RedisServer.start();
        all.add(server);
        return server;
    }

    @Override
    public void close() {
        all.forEach(RedisServer::stop);
        var unused = resources.shutdown();
    }
}
