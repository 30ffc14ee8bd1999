package io.rowlock.autoconfigure.redis;

import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.RowlockRedisProperties;
import io.rowlock.store.redis.RedisLockStore;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.annotation.RegisterReflection;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Auto-configuration of the strategy that keeps locks in Redis. It connects as the application does, or as a bean named
 * {@code rowlockRedisConnectionFactory} says.
 */
@AutoConfiguration(after = DataRedisAutoConfiguration.class, before = RowlockAutoConfiguration.class)
@ConditionalOnSwitch({"rowlock.enabled", "rowlock.redis.enabled"})
@ConditionalOnClass({RedisLockStore.class, LettuceConnectionFactory.class, DataRedisAutoConfiguration.class})
@EnableConfigurationProperties({RowlockProperties.class, RowlockRedisProperties.class})
@RegisterReflection(classes = LettuceConnectionFactory.class, memberCategories = MemberCategory.ACCESS_DECLARED_FIELDS)
public final class RowlockRedisAutoConfiguration {
    /** The factory of an application that has one for locks alone. */
    private static final String FACTORY = "rowlockRedisConnectionFactory";

    /** A bean of a feature that this one does not know. */
    private static final String FENCING = "rowlockRedisFencing";

    @Bean
    @Conditional(OnLettuce.class)
    @ConditionalOnMissingBean(RedisLockStore.class)
    DerivedRedisClient rowlockRedisClient(BeanFactory beans, RowlockRedisProperties properties) {
        LettuceConnectionFactory application = beans.containsBean(FACTORY)
                ? beans.getBean(FACTORY, LettuceConnectionFactory.class)
                : beans.getBean(LettuceConnectionFactory.class);
        return new DerivedRedisClient(application, properties.settings());
    }

    // Last, so that an application's store of the same strategy wins
    @Bean
    @ConditionalOnBean(name = "rowlockRedisClient", search = SearchStrategy.CURRENT)
    @Order(Ordered.LOWEST_PRECEDENCE)
    RedisLockStore rowlockRedisLockStore(DerivedRedisClient client) {
        return client.store();
    }

    @Bean
    @ConditionalOnBean(RedisLockStore.class)
    RedisStartUpCheck rowlockRedisStartUpCheck(
            RedisLockStore store,
            ListableBeanFactory beans,
            RowlockProperties rowlock,
            RowlockRedisProperties properties) {
        return new RedisStartUpCheck(store, unfencedBecause(beans, rowlock, properties));
    }

    /** Why no transaction is fenced, or null if some are. */
    private static @Nullable String unfencedBecause(
            ListableBeanFactory beans, RowlockProperties rowlock, RowlockRedisProperties properties) {
        if (!rowlock.fencing().transactional()) {
            return "rowlock.fencing.transactional is false";
        }
        if (properties.fence() == RowlockRedisProperties.Fence.NONE) {
            return "rowlock.redis.fence is none";
        }
        if (!beans.containsBean(FENCING)) {
            return "there is no DataSource for the lock tables, or no auto-configuration of fences";
        }
        return beans.getBeanNamesForType(ConfigurableTransactionManager.class, false, false).length > 0
                ? null
                : "there is no transaction manager";
    }

    /** Matches if it is known which servers keep the locks: those of the only connection factory, or of one for locks alone. */
    static final class OnLettuce extends AnyNestedCondition {
        OnLettuce() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnSingleCandidate(LettuceConnectionFactory.class)
        static class ApplicationFactory {}

        @ConditionalOnBean(name = FACTORY)
        static class OwnFactory {}
    }
}
