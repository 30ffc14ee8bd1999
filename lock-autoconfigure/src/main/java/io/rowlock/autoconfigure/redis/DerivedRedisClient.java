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
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Lettuce client for locks alone, which connects as the application does: the same servers, credentials, TLS and threads. It has
 * options of its own, because the application's driver may repeat commands, and a lock must not.
 */
final class DerivedRedisClient implements AutoCloseable {
    /** The field of a factory that has what it connects to. */
    private static final String USED = "configuration";

    private final RedisSettings settings;
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
        RedisConfiguration servers = configuration(application);
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

    /** Not by the getters of a factory: made of a {@link RedisConfiguration}, it shows one of localhost there, which it does not use. */
    private static RedisConfiguration configuration(LettuceConnectionFactory application) {
        Object factory = Objects.requireNonNullElse(AopProxyUtils.getSingletonTarget(application), application);
        DirectFieldAccessor fields = new DirectFieldAccessor(factory);
        if (fields.isReadableProperty(USED)
                && fields.getPropertyValue(USED) instanceof RedisConfiguration used
                && !RedisConfiguration.isStaticMasterReplicaConfiguration(used)) {
            return used;
        }
        throw new RowlockSetupException(
                "A LettuceConnectionFactory connects to a list of Redis servers or does not show to which, and locks need to know the master.",
                "Use Sentinel or a cluster, or declare a LettuceConnectionFactory to the master, named \"rowlockRedisConnectionFactory\".");
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
