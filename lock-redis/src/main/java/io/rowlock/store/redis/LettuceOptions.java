package io.rowlock.store.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;

/**
 * Configures Lettuce as locks need it: a command runs once or not at all. It neither keeps commands for the time when there is a
 * connection again, nor repeats those of which a lost connection brought no answer.
 */
public final class LettuceOptions {
    private static final Delay RECONNECT = Delay.constant(Duration.ofMillis(100));
    private static final Duration REFRESH = Duration.ofSeconds(30);
    private static final Duration ADAPTIVE_REFRESH = Duration.ofSeconds(1);

    private LettuceOptions() {}

    /**
     * Resources of a client that reconnects soon, however long the server was away, and leaves a connection that has gone silent.
     *
     * @param shared those of another client, which must live longer; their threads that read and write are not shared
     * @param settings how to work with the servers
     * @return the resources
     */
    public static ClientResources resources(ClientResources shared, RedisSettings settings) {
        return shared.mutate()
                .reconnectDelay(RECONNECT)
                .nettyCustomizer(new SilentConnections(shared.nettyCustomizer(), settings.commandTimeout()))
                .build();
    }

    static void apply(RedisClient client, RedisSettings settings) {
        client.setOptions(options(client.getOptions(), settings));
    }

    static void apply(RedisClusterClient client, RedisSettings settings) {
        ClusterClientOptions.Builder options = ClusterClientOptions.builder(options(client.getOptions(), settings));
        client.setOptions(options.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(REFRESH)
                        .adaptiveRefreshTriggersTimeout(ADAPTIVE_REFRESH)
                        .build())
                .build());
    }

    private static ClientOptions options(ClientOptions base, RedisSettings settings) {
        SocketOptions socket = base.getSocketOptions();
        return base.mutate()
                .socketOptions(socket.mutate()
                        .connectTimeout(RedisAttempts.shorter(socket.getConnectTimeout(), settings.commandTimeout()))
                        .build())
                .autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(command -> true)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .build();
    }
}
