package io.rowlock.autoconfigure;

import io.rowlock.FencingTokens;
import io.rowlock.LockClient;
import io.rowlock.LockListener;
import io.rowlock.Printable;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.RowlockClientBuilder;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.client.request.Handoff;
import io.rowlock.interceptor.DeclaredMethods;
import io.rowlock.interceptor.LockInterceptorSettings;
import io.rowlock.interceptor.WovenLocks;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import io.rowlock.store.TransactionLocks;
import io.rowlock.store.jdbc.fence.SeenTokens;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the {@link LockClient} on top of every {@link LockStore} bean there is, and of what is checked and said of
 * the properties themselves, wherever locks are kept.
 */
@AutoConfiguration(afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
public final class RowlockAutoConfiguration {
    private static final Logger log = LoggerFactory.getLogger(RowlockAutoConfiguration.class);

    @Bean
    @ConditionalOnSwitch("rowlock.enabled")
    static SettingsCheck rowlockSettingsCheck(Environment environment) {
        return new SettingsCheck(
                environment, Map.of("rowlock", RowlockProperties.class, "rowlock.redis", RowlockRedisProperties.class));
    }

    /** Commit checks, leaders and the endpoint are those of one client. Tests put mocks in the place of beans before any is made. */
    @Bean
    @ConditionalOnSwitch("rowlock.enabled")
    static BeanFactoryPostProcessor rowlockOneClient(Environment environment) {
        return beans -> {
            Object made = beans.getSingleton("rowlockClient");
            if (made != null && !(made instanceof RowlockClient client && client.settings() != null)) {
                throw new RowlockSetupException(
                        "The LockClient was replaced by a mock (@MockitoBean), which acquires no lock.",
                        "Remove the mock. Add @RowlockTest (rowlock-test): locks are kept in memory, and LockControl makes one busy or lost.");
            }
            List<String> clients = List.of(beans.getBeanNamesForType(RowlockClient.class, true, false));
            if (clients.size() > 1) {
                throw new RowlockSetupException(
                        "There are several RowlockClient beans (%s), but commits are checked for the locks of one."
                                .formatted(String.join(", ", clients)),
                        "Declare one client with the stores of all, and choose by the strategy of the request or"
                                + " annotation.");
            }
            if (clients.isEmpty()) {
                beans.addBeanPostProcessor(new UnknownClient());
            }
            // Before a bean misses its client
            if ("redis".equalsIgnoreCase(environment.getProperty("rowlock.strategy"))
                    && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, LockClient.class, true, false).length
                            == 0) {
                ChosenStores.requireKnown("redis", Set.of());
            }
        };
    }

    /** Locks are acquired, and there is something to keep them in. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSwitch("rowlock.enabled")
    @ConditionalOnBean(LockStore.class)
    @ConditionalOnMissingBean(LockClient.class)
    @EnableConfigurationProperties(RowlockProperties.class)
    static class Client {
        @Bean
        RowlockClient rowlockClient(
                ObjectProvider<LockStore> stores,
                ObjectProvider<LockListener> listeners,
                ObjectProvider<LockLog> lockLog,
                ObjectProvider<LockInstrumentation> instrumentation,
                ObjectProvider<TransactionLocks> transactionLocks,
                RowlockProperties properties,
                ListableBeanFactory beans,
                Environment environment) {
            ChosenStores chosen = ChosenStores.of(stores.orderedStream(), properties);
            warnIfLocksEndFirst(properties);
            String applicationName = environment.getProperty("spring.application.name", "application");
            return configured(RowlockClient.builder(chosen.stores()), properties, applicationName)
                    .strategy(chosen.strategy())
                    .listeners(LockEventPublisher.laterListeners(listeners, beans))
                    .log(lockLog.getIfAvailable(() -> LockLog.NONE))
                    .instrumentation(instrumentation.getIfAvailable(() -> LockInstrumentation.NONE))
                    .transactionLocks(transactionLocks.getIfAvailable())
                    .build();
        }

        /** Warns of values that are possible each by itself. */
        private static void warnIfLocksEndFirst(RowlockProperties properties) {
            Duration queryTimeout = properties.pool().queryTimeout();
            if (queryTimeout.compareTo(properties.ttl()) > 0) {
                log.warn(
                        "rowlock.pool.query-timeout ({}) is longer than rowlock.ttl ({}): while the server does not answer, locks are lost before a statement gives up",
                        Printable.of(queryTimeout),
                        Printable.of(properties.ttl()));
            }
        }

        private static RowlockClientBuilder configured(
                RowlockClientBuilder builder, RowlockProperties properties, String applicationName) {
            return builder.ttl(properties.ttl())
                    .staleReads(name -> Optional.ofNullable(properties.locks().get(name))
                            .map(LockInterceptorSettings.OfName::staleSnapshot)
                            .orElse(properties.fencing().staleSnapshot()))
                    .waitTime(properties.waitTime())
                    .keyPrefix(properties.keyPrefix())
                    .owner(Optional.ofNullable(properties.owner()).orElseGet(() -> GeneratedOwner.of(applicationName)))
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

    /** Commit checks, leaders, the endpoint and the checks of the start need a client of whose kind they know before it is made. */
    private static final class UnknownClient implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof RowlockClient) {
                throw new RowlockSetupException(
                        "The bean \"%s\" is a RowlockClient and not declared as one, so no commit would be checked, and leaders, the endpoint and the checks of the startup would be missing."
                                .formatted(beanName),
                        "Declare RowlockClient, not LockClient, as the type that its method returns.");
            }
            if (bean instanceof LockClient) {
                log.warn(
                        "The bean \"{}\" ({}) is no RowlockClient: no commit is checked under its locks",
                        beanName,
                        bean.getClass().getName());
            }
            return bean;
        }
    }

    /** The tokens that calls of other applications come with, which acquire no lock. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({DataSource.class, SeenTokens.class})
    @ConditionalOnSingleCandidate(DataSource.class) // of several, none is known to be the receiver's
    static class ReceivedTokens {
        @Bean
        @ConditionalOnMissingBean
        FencingTokens rowlockFencingTokens(DataSource dataSource, Environment environment) {
            RowlockProperties.Schema schema =
                    Binder.get(environment).bindOrCreate("rowlock.schema", RowlockProperties.Schema.class);
            return new SeenTokens(dataSource, new TablePrefix(schema.tablePrefix()));
        }
    }

    /** No lock is acquired. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSwitch(value = "rowlock.enabled", on = false)
    static class Disabled {
        /** Woven methods, which would otherwise be refused. */
        @Bean
        @Lazy(false)
        @ConditionalOnClass(name = "io.rowlock.aspects.LockAspect")
        WovenLocks rowlockWovenLocks() {
            return WovenLocks.off();
        }

        @Bean
        SmartInitializingSingleton rowlockDisabledWarning(
                ConfigurableListableBeanFactory beans, Environment environment) {
            return () -> log.warn(
                    "Rowlock is disabled (rowlock.enabled=false). Methods that run without their lock or leader, on every node: {}",
                    new DeclaredMethods(beans, environment::resolvePlaceholders).count());
        }
    }
}
