package io.rowlock.autoconfigure.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.util.concurrent.Future;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.store.redis.LettuceOptions;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.store.redis.RedisSettings;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Lettuce client for locks alone, which connects as the application does: the same servers, credentials, TLS and threads. It has
 * options of its own, because the application's driver may repeat commands, and a lock must not.
 */
final class DerivedRedisClient implements AutoCloseable {
    private final RedisSettings settings;
    private final RedisConfiguration servers;
    private final LettuceConnectionFactory factory;
    private final ClientResources resources;
    private final @Nullable ClientResources ownResources;

    /**
     * Derives a client.
     *
     * @param application how the application connects
     * @param settings how to work with the servers
     * @throws RowlockSetupException if the application does not show to which servers it connects
     */
    DerivedRedisClient(LettuceConnectionFactory application, RedisSettings settings) {
        this.settings = settings;
        this.servers = configuration(application);
        LettuceClientConfiguration client = application.getClientConfiguration();
        ClientResources base = client.getClientResources().orElseGet(DefaultClientResources::create);
        this.ownResources = client.getClientResources().isPresent() ? null : base;
        this.resources = LettuceOptions.resources(base, settings);
        this.factory = new LettuceConnectionFactory(servers, configuration(client, resources));
        try {
            factory.afterPropertiesSet();
            factory.start();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private static RedisConfiguration configuration(LettuceConnectionFactory application) {
        RedisConfiguration cluster = application.getClusterConfiguration();
        if (cluster != null) {
            return cluster;
        }
        RedisConfiguration sentinel = application.getSentinelConfiguration();
        RedisSocketConfiguration socket = application.getSocketConfiguration();
        if (sentinel != null) {
            return sentinel;
        }
        return socket == null ? standalone(application) : socket;
    }

    /** A factory that was given another configuration shows one of localhost here, which it does not use. */
    private static RedisConfiguration standalone(LettuceConnectionFactory application) {
        RedisStandaloneConfiguration shown = application.getStandaloneConfiguration();
        if (!isUsed(shown, application)) {
            throw new RowlockSetupException(
                    "A LettuceConnectionFactory does not show to which Redis it connects, so locks cannot be kept there.",
                    "Make it of a variable of type RedisStandaloneConfiguration, RedisSentinelConfiguration or RedisClusterConfiguration:"
                            + " a RedisConfiguration or a list of servers hides them. If the application cannot, declare such a factory for"
                            + " locks alone, named \"rowlockRedisConnectionFactory\".");
        }
        return shown;
    }

    /** There is no getter of what a factory uses; but its password, which it reads as it starts, is then that of {@code shown}. */
    private static boolean isUsed(RedisStandaloneConfiguration shown, LettuceConnectionFactory application) {
        RedisPassword own = shown.getPassword();
        String probe = UUID.randomUUID().toString();
        shown.setPassword(probe);
        try {
            return probe.equals(application.getPassword());
        } finally {
            shown.setPassword(own);
        }
    }

    private static LettuceClientConfiguration configuration(
            LettuceClientConfiguration client, ClientResources resources) {
        LettuceClientConfiguration.LettuceClientConfigurationBuilder derived = LettuceClientConfiguration.builder()
                .clientResources(resources)
                .commandTimeout(client.getCommandTimeout())
                .shutdownTimeout(client.getShutdownTimeout())
                .shutdownQuietPeriod(client.getShutdownQuietPeriod());
        client.getClientOptions().ifPresent(derived::clientOptions);
        client.getClientName().ifPresent(name -> derived.clientName(name + "-rowlock"));
        client.getRedisCredentialsProviderFactory().ifPresent(derived::redisCredentialsProviderFactory);
        if (client.isUseSsl()) {
            LettuceClientConfiguration.LettuceSslClientConfigurationBuilder ssl = derived.useSsl();
            ssl.verifyPeer(client.getVerifyMode());
            if (client.isStartTls()) {
                ssl.startTls();
            }
        }
        return derived.build();
    }

    /** Returns the addresses of the servers, for people to read. */
    String addresses() {
        if (servers instanceof RedisConfiguration.ClusterConfiguration cluster) {
            return cluster.getClusterNodes().toString();
        }
        if (servers instanceof RedisConfiguration.SentinelConfiguration sentinel) {
            return sentinel.getSentinels().toString();
        }
        return servers instanceof RedisConfiguration.DomainSocketConfiguration socket
                ? socket.getSocket()
                : factory.getHostName() + ":" + factory.getPort();
    }

    /**
     * Connects.
     *
     * @return the store
     * @throws io.rowlock.LockStoreException if the servers cannot be reached
     */
    public RedisLockStore store() {
        AbstractRedisClient client = factory.getRequiredNativeClient();
        if (client instanceof RedisClusterClient cluster) {
            return RedisLockStore.cluster(cluster, settings);
        }
        return factory.isRedisSentinelAware()
                ? RedisLockStore.sentinel((RedisClient) client, settings)
                : RedisLockStore.standalone((RedisClient) client, settings);
    }

    @Override
    public void close() {
        factory.destroy();
        Future<Boolean> unused = resources.shutdown(); // leaves what it shares with the application as it is
        if (ownResources != null) {
            Future<Boolean> unusedToo = ownResources.shutdown();
        }
    }
}
