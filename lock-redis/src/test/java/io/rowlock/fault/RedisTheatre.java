package io.rowlock.fault;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.rowlock.servers.ReplicationLink;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A server for each run that goes on at the moment, because some of them stop it. */
final class RedisTheatre implements Theatre {
    private final RedisSetup setup;
    private final ClientResources resources = DefaultClientResources.builder()
            .ioThreadPoolSize(4)
            .computationThreadPoolSize(2)
            .build();
    private final Queue<RedisServer> all = new ConcurrentLinkedQueue<>();
    private final Queue<RedisServer> free = new ConcurrentLinkedQueue<>();

    RedisTheatre(RedisSetup setup) {
        this.setup = setup;
    }

    @Override
    public Scene begin(Scenario scenario, String key, FaultPlan plan, Duration patience) throws Exception {
        RedisServer idle = free.poll();
        RedisServer server = idle == null ? started() : idle;
        RedisScene.Place place = new RedisScene.Place(setup, key, server, resources);
        return new RedisScene(place, plan, patience, () -> free.add(server));
    }

    private RedisServer started() throws IOException, InterruptedException {
        RedisServer server = start("--repl-diskless-sync-delay", "0");
        for (int i = 0; i < setup.replicas; i++) {
            start("--replicaof", server.host() + " " + server.port());
            ReplicationLink.awaitInSync(server);
        }
        return server;
    }

    private RedisServer start(String... options) throws IOException {
        RedisServer server = RedisServer.start(options);
        all.add(server);
        return server;
    }

    @Override
    public void close() {
        all.forEach(RedisServer::stop);
        var unused = resources.shutdown();
    }
}
