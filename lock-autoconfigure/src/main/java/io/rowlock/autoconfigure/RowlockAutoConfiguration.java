package io.rowlock.autoconfigure;

import io.rowlock.LockClient;
import io.rowlock.LockListener;
import io.rowlock.autoconfigure.client.GeneratedOwner;
import io.rowlock.autoconfigure.client.LockEventPublisher;
import io.rowlock.autoconfigure.client.RowlockClientLifecycle;
import io.rowlock.autoconfigure.redis.RedisAbsence;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.RowlockClientBuilder;
import io.rowlock.client.event.LockInstrumentation;
import io.rowlock.client.lock.StaleReads;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import io.rowlock.store.TransactionLocks;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of the {@link LockClient} on top of every {@link LockStore} bean there is. */
@AutoConfiguration(after = RowlockStoreAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnBean(LockStore.class)
@ConditionalOnMissingBean(LockClient.class)
@EnableConfigurationProperties(RowlockProperties.class)
public final class RowlockAutoConfiguration {
    @Bean
    RowlockClient rowlockClient(
            ObjectProvider<LockStore> stores,
            ObjectProvider<LockListener> listeners,
            ObjectProvider<LockLog> log,
            ObjectProvider<LockInstrumentation> instrumentation,
            ObjectProvider<TransactionLocks> transactionLocks,
            RowlockProperties properties,
            ListableBeanFactory beans,
            Environment environment) {
        ChosenStores chosen =
                ChosenStores.of(stores.orderedStream(), properties, () -> RedisAbsence.explain(beans, environment));
        String applicationName = environment.getProperty("spring.application.name", "application");
        return configured(RowlockClient.builder(chosen.stores()), properties, applicationName)
                .strategy(chosen.strategy())
                .listeners(listeners.orderedStream().toList())
                .log(log.getIfAvailable(() -> LockLog.NONE))
                .instrumentation(instrumentation.getIfAvailable(() -> LockInstrumentation.NONE))
                .transactionLocks(transactionLocks.getIfAvailable())
                .build();
    }

    private static RowlockClientBuilder configured(
            RowlockClientBuilder builder, RowlockProperties properties, String applicationName) {
        String owner = properties.owner();
        Map<String, StaleReads.Policy> staleReads = new HashMap<>();
        properties.locks().forEach((name, lock) -> {
            if (lock.staleSnapshot() != null) {
                staleReads.put(name, lock.staleSnapshot());
            }
        });
        return builder.ttl(properties.ttl())
                .staleReads(properties.fencing().staleSnapshot(), staleReads)
                .waitTime(properties.waitTime())
                .keyPrefix(properties.keyPrefix())
                .owner(owner == null ? GeneratedOwner.of(applicationName) : owner)
                .renewal(properties.renewal().enabled())
                .renewalInterval(properties.renewal().interval())
                .handoff(new Handoff(
                        properties.handoff().max(), properties.handoff().maxTime()));
    }

    @Bean
    RowlockClientLifecycle rowlockClientLifecycle(RowlockClient client) {
        return new RowlockClientLifecycle(client);
    }

    @Bean
    LockListener rowlockEventPublisher(ApplicationEventPublisher publisher) {
        return new LockEventPublisher(publisher);
    }
}
