package io.rowlock.autoconfigure;

import io.rowlock.LockClient;
import io.rowlock.autoconfigure.redis.RedisAbsence;
import io.rowlock.store.LockStore;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Stops an application that wants its locks in Redis and has no strategy at all, before it misses its {@link LockClient}. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnProperty(name = "rowlock.strategy", havingValue = RedisAbsence.STRATEGY)
@ConditionalOnMissingBean({LockStore.class, LockClient.class})
public final class RowlockMissingRedisAutoConfiguration {
    @Bean
    static BeanFactoryPostProcessor rowlockMissingRedis(Environment environment) {
        return beans -> {
            throw RedisAbsence.explain(beans, environment);
        };
    }
}
