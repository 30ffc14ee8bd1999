package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.autoconfigure.redis.DerivedRedisClient;
import io.rowlock.autoconfigure.redis.OnLettuceCondition;
import io.rowlock.autoconfigure.redis.RedisStartUpCheck;
import io.rowlock.autoconfigure.settings.ConditionalOnSwitch;
import io.rowlock.autoconfigure.settings.Switch;
import io.rowlock.store.redis.RedisLockStore;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Auto-configuration of the strategy that keeps locks in Redis. It connects as the application does, or as a bean named
 * {@code rowlockRedisConnectionFactory} says.
 */
@AutoConfiguration(after = DataRedisAutoConfiguration.class, before = RowlockAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnClass({RedisLockStore.class, LettuceConnectionFactory.class, DataRedisAutoConfiguration.class})
@ConditionalOnSwitch("rowlock.redis.enabled")
@EnableConfigurationProperties(RowlockRedisProperties.class)
public final class RowlockRedisAutoConfiguration {
    static final String FENCING_BEAN_NAME = "rowlockRedisFencing";

    @Bean
    @Conditional(OnLettuceCondition.class)
    @ConditionalOnMissingBean({DerivedRedisClient.class, RedisLockStore.class})
    DerivedRedisClient rowlockRedisClient(
            BeanFactory beans, ObjectProvider<DataRedisConnectionDetails> details, RowlockRedisProperties properties) {
        if (beans.containsBean(OnLettuceCondition.BEAN_NAME)) {
            return new DerivedRedisClient(
                    beans.getBean(OnLettuceCondition.BEAN_NAME, LettuceConnectionFactory.class), properties.settings());
        }
        DataRedisConnectionDetails application = details.getIfAvailable();
        if (application != null && application.getMasterReplica() != null) {
            throw new RowlockSetupException(
                    "The application connects to a list of Redis servers, and locks need to know the master of them.",
                    "Use Sentinel or a cluster, or declare a LettuceConnectionFactory to the master, named \"%s\"."
                            .formatted(OnLettuceCondition.BEAN_NAME),
                    null);
        }
        return new DerivedRedisClient(beans.getBean(LettuceConnectionFactory.class), properties.settings());
    }

    // Last, so that an application's store of the same strategy wins
    @Bean
    @ConditionalOnBean(DerivedRedisClient.class)
    @ConditionalOnMissingBean
    @Order(Ordered.LOWEST_PRECEDENCE)
    RedisLockStore rowlockRedisLockStore(DerivedRedisClient client) {
        return client.store();
    }

    @Bean
    @ConditionalOnBean(RedisLockStore.class)
    RedisStartUpCheck rowlockRedisStartUpCheck(
            RedisLockStore store,
            ListableBeanFactory beans,
            RowlockRedisProperties properties,
            Environment environment) {
        return new RedisStartUpCheck(store, unfencedBecause(beans, properties, environment));
    }

    /** Why no transaction is fenced, or null if some are. */
    private static @Nullable String unfencedBecause(
            ListableBeanFactory beans, RowlockRedisProperties properties, Environment environment) {
        if (!Switch.isOn(environment, "rowlock.fencing.transactional", true)) {
            return "rowlock.fencing.transactional is false";
        }
        if (properties.fence() == RowlockRedisProperties.Fence.NONE) {
            return "rowlock.redis.fence is none";
        }
        if (!beans.containsBean(FENCING_BEAN_NAME)) {
            return "there is no DataSource for the lock tables";
        }
        return beans.getBeanNamesForType(ConfigurableTransactionManager.class, false, false).length > 0
                ? null
                : "there is no transaction manager";
    }
}
