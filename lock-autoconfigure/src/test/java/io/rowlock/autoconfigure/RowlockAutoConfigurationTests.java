package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.FencingTokens;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.annotation.ReadLock;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.autoconfigure.database.RowlockDataSourceAutoConfiguration;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.autoconfigure.leader.RowlockLeaderAutoConfiguration;
import io.rowlock.autoconfigure.store.RowlockStartUpAutoConfiguration;
import io.rowlock.autoconfigure.transaction.RowlockTransactionAutoConfiguration;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.TransactionFence;
import io.rowlock.leader.LeaderElections;
import io.rowlock.store.LockStore;
import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.StoreCapabilities.Handoffs;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.NamedLocks;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Wiring that asks no database: pools are lazy, and the tables are left alone. */
@ExtendWith(OutputCaptureExtension.class)
class RowlockAutoConfigurationTests {
    private static final AutoConfigurations ROWLOCK = AutoConfigurations.of(
            RowlockAutoConfiguration.class,
            RowlockDataSourceAutoConfiguration.class,
            RowlockTransactionAutoConfiguration.class);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(ROWLOCK)
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.url=jdbc:mysql://127.0.0.1:1/test?useAffectedRows=true",
                    "rowlock.schema.initialize=never");

    @Test
    void receiverOfTokensNeedsNoLocks() {
        runner.withPropertyValues("rowlock.enabled=false", "rowlock.schema.table-prefix=own_")
                .run(context ->
                        assertThat(context).hasSingleBean(FencingTokens.class).doesNotHaveBean(LockClient.class));
    }

    @Test
    void clientIsThere() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(LockClient.class).hasBean("rowlockClient");
            assertThat(context).hasSingleBean(LeaseStore.class).hasBean("rowlockEventPublisher");
        });
    }

    @Test
    void disabledLeavesNothing() {
        runner.withPropertyValues("rowlock.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(LockClient.class)
                        .doesNotHaveBean(LockStore.class)
                        .doesNotHaveBean(LockPools.class)
                        .doesNotHaveBean("rowlockTransactionFences"));
    }

    @Test
    void withoutDataSourceThereIsNoClient() {
        new ApplicationContextRunner()
                .withConfiguration(ROWLOCK)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LockClient.class)
                        .doesNotHaveBean(LockPools.class));
    }

    @Test
    void storeOfTheApplicationNeedsNoDataSource() {
        new ApplicationContextRunner()
                .withConfiguration(ROWLOCK)
                .withBean("mine", LockStore.class, () -> store("lease"))
                .run(context -> assertThat(context).hasSingleBean(RowlockClient.class));
    }

    @Test
    void clientOfTheApplicationNeedsNoDataSource() {
        new ApplicationContextRunner()
                .withConfiguration(ROWLOCK)
                .withConfiguration(AutoConfigurations.of(RowlockLeaderAutoConfiguration.class))
                .withBean(RowlockClient.class, RowlockAutoConfigurationTests::client)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasBean("rowlockTransactionFences")
                        .hasSingleBean(LeaderElections.class));
    }

    @Test
    void listenerMayNeedTheClient() {
        new ApplicationContextRunner()
                .withConfiguration(ROWLOCK)
                .withBean(LockStore.class, InMemoryLockStore::new)
                .withBean(AskingListener.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    AskingListener listener = context.getBean(AskingListener.class);
                    try (HeldLock lock = listener.locks.acquire(LockRequest.exclusive("a"))) {
                        assertThat(lock.isHeld()).isTrue();
                    }
                    assertThat(listener.heard).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
                });
    }

    /** As one whose broker is not there yet. It is asked for again with the next event. */
    @Test
    void listenerThatCannotBeMadeCostsTheOthersNoEvent(CapturedOutput output) {
        AtomicBoolean possible = new AtomicBoolean();
        AtomicInteger tries = new AtomicInteger();
        AskingListener late = new AskingListener(mock(LockClient.class));
        new ApplicationContextRunner()
                .withConfiguration(ROWLOCK)
                .withBean(LockStore.class, InMemoryLockStore::new)
                .withBean(
                        "late",
                        AskingListener.class,
                        () -> {
                            tries.incrementAndGet();
                            if (!possible.get()) {
                                throw new IllegalStateException("no broker");
                            }
                            return late;
                        },
                        definition -> definition.setLazyInit(true))
                .withBean("early", AskingListener.class)
                .run(context -> {
                    AskingListener early = context.getBean("early", AskingListener.class);
                    HeldLock lock = early.locks.acquire(LockRequest.exclusive("a"));
                    assertThat(early.heard).containsExactly(LockEvent.Type.ACQUIRED);
                    assertThat(output).contains("The listener \"late\" cannot be made, so it misses an event");
                    assertThat(tries).hasValue(1);
                    possible.set(true);
                    lock.close();
                    assertThat(early.heard).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
                    assertThat(late.heard).containsExactly(LockEvent.Type.RELEASED);
                });
    }

    static class AskingListener implements LockListener {
        final LockClient locks;
        final List<LockEvent.Type> heard = new CopyOnWriteArrayList<>();

        AskingListener(LockClient locks) {
            this.locks = locks;
        }

        @Override
        public boolean mayBlock() {
            return false;
        }

        @Override
        public void onEvent(LockEvent event) {
            heard.add(event.type());
        }
    }

    @Test
    void clientOfTheApplicationWins() {
        RowlockClient mine = RowlockClient.builder(store("lease")).build();
        runner.withBean(RowlockClient.class, () -> mine).run(context -> {
            assertThat(context.getBean(LockClient.class)).isSameAs(mine);
            assertThat(context).hasBean("rowlockTransactionFences");
        });
    }

    @Test
    void secondClientIsRefused() {
        runner.withBean("mine", RowlockClient.class, () -> client())
                .withBean("other", RowlockClient.class, () -> client(), bean -> bean.setPrimary(true))
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(RowlockSetupException.class)
                        .hasMessageContaining("several RowlockClient beans (mine, other)"));
    }

    private static RowlockClient client() {
        return RowlockClient.builder(store("lease")).build();
    }

    @Test
    void cleanUpBeginsWithTheApplicationThatMakesItsBeansLazily() {
        runner.withConfiguration(AutoConfigurations.of(RowlockStartUpAutoConfiguration.class))
                .withPropertyValues("rowlock.pool.connection-timeout=250ms")
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context.getBeanFactory().containsSingleton("rowlockCleanUpJob"))
                        .isTrue());
    }

    @Test
    void otherClientOfTheApplicationIsSaidToBeUnchecked(CapturedOutput output) {
        LockClient mine = mock(LockClient.class);
        runner.withBean("mine", LockClient.class, () -> mine).run(context -> {
            assertThat(context.getBean(LockClient.class)).isSameAs(mine);
            assertThat(context).doesNotHaveBean("rowlockTransactionFences");
            assertThat(output).containsPattern("WARN .*\"mine\" .* is no RowlockClient");
        });
    }

    @Test
    void clientThatIsDeclaredAsAnyLockClientIsRefused() {
        LockClient mine = RowlockClient.builder(store("lease")).build();
        runner.withBean("mine", LockClient.class, () -> mine)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("\"mine\" is a RowlockClient")
                        .hasMessageContaining("no commit would be checked"));
    }

    @Test
    void storeOfTheApplicationIsAdded() {
        runner.withBean("mine", LockStore.class, () -> store("mine"))
                .withPropertyValues("rowlock.strategy=mine")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .getBeans(LockStore.class)
                        .containsKeys("mine", "rowlockLeaseStore"));
    }

    @Test
    void unknownStrategyIsRefusedNamingTheKnownOnes() {
        runner.withPropertyValues("rowlock.strategy=rowlock")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("rowlock.strategy")
                        .hasMessageContaining("known are: [lease"));
    }

    @Test
    void ttlThatTheStrategyCannotKeepIsRefused() {
        runner.withPropertyValues("rowlock.ttl=999ms")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("rowlock.ttl")
                        .hasMessageContaining("at least"));
    }

    @Test
    void applicationKeepsItsSingleDataSource() {
        runner.run(context -> {
            DataSource application = context.getBean(DataSource.class);
            assertThat(application).isNotSameAs(context.getBean(LockPools.class).locks());
            assertThat(context.getBean(JdbcTemplate.class).getDataSource()).isSameAs(application);
            assertThat(context.getBean(JdbcTransactionManager.class).getDataSource())
                    .isSameAs(application);
        });
    }

    @Test
    void poolIsTunedForLocks() {
        runner.withPropertyValues(
                        "rowlock.pool.size=3",
                        "rowlock.pool.connection-timeout=700ms",
                        "rowlock.pool.query-timeout=2s",
                        "spring.datasource.hikari.data-source-properties.useSSL=false")
                .run(context -> {
                    HikariDataSource pool = context.getBean(LockPools.class).locks();
                    assertThat(pool.getPoolName()).isEqualTo("rowlock");
                    assertThat(pool.getMaximumPoolSize()).isEqualTo(3);
                    assertThat(pool.getMinimumIdle()).isZero();
                    assertThat(pool.getConnectionTimeout()).isEqualTo(700);
                    assertThat(pool.getJdbcUrl()).isEqualTo("jdbc:mysql://127.0.0.1:1/test");
                    assertThat(pool.getDataSourceProperties())
                            .containsEntry("useSSL", "false")
                            .containsEntry("useServerPrepStmts", "true")
                            .containsEntry("useAffectedRows", "false")
                            .containsEntry("autoReconnect", "false")
                            .containsEntry("emulateUnsupportedPstmts", "false")
                            .containsEntry("connectTimeout", "700")
                            .containsEntry("socketTimeout", "2000");
                });
    }

    @Test
    void poolOfTheApplicationIsLeftAsItWas() {
        runner.withPropertyValues("spring.datasource.hikari.data-source-properties.useSSL=false")
                .run(context -> {
                    HikariDataSource application = context.getBean(HikariDataSource.class);
                    assertThat(application.getDataSourceProperties()).containsOnlyKeys("useSSL");
                    assertThat(application.getJdbcUrl()).endsWith("useAffectedRows=true");
                });
    }

    @Test
    void mariadbDriverGetsOnlyWhatItKnows() {
        runner.withPropertyValues(
                        "spring.datasource.url=jdbc:mariadb://127.0.0.1:1/test?rewriteBatchedStatements=true&transactionReplay=true")
                .run(context -> {
                    HikariDataSource pool = context.getBean(LockPools.class).locks();
                    assertThat(pool.getJdbcUrl()).isEqualTo("jdbc:mariadb://127.0.0.1:1/test");
                    assertThat(pool.getDataSourceProperties())
                            .containsEntry("useServerPrepStmts", "true")
                            .containsEntry("transactionReplay", "false")
                            .doesNotContainKeys("autoReconnect", "emulateUnsupportedPstmts", "prepStmtCacheSqlLimit");
                });
    }

    @Test
    void ownDatabaseWins() {
        runner.withPropertyValues(
                        "rowlock.datasource.url=jdbc:mysql://127.0.0.1:1/locks",
                        "rowlock.datasource.username=locker",
                        "rowlock.datasource.password=secret",
                        "rowlock.datasource.driver-class-name=com.mysql.cj.jdbc.Driver")
                .run(context -> {
                    HikariDataSource pool = context.getBean(LockPools.class).locks();
                    assertThat(pool.getJdbcUrl()).isEqualTo("jdbc:mysql://127.0.0.1:1/locks");
                    assertThat(pool.getUsername()).isEqualTo("locker");
                    assertThat(pool.getPassword()).isEqualTo("secret");
                    assertThat(pool.getDriverClassName()).isEqualTo("com.mysql.cj.jdbc.Driver");
                });
    }

    @Test
    void ownUserIsAskedForAtTheApplicationsDatabase() {
        runner.withPropertyValues("rowlock.datasource.username=locker", "rowlock.datasource.password=secret")
                .run(context -> {
                    HikariDataSource pool = context.getBean(LockPools.class).locks();
                    assertThat(pool.getJdbcUrl()).startsWith("jdbc:mysql:");
                    assertThat(pool.getUsername()).isEqualTo("locker");
                    assertThat(pool.getPassword()).isEqualTo("secret");
                });
    }

    @Test
    void passwordsAreNotShown() {
        runner.withPropertyValues(
                        "rowlock.datasource.url=jdbc:mysql://127.0.0.1:1/locks?password=secret",
                        "rowlock.datasource.password=secret")
                .run(context -> assertThat(
                                context.getBean(RowlockProperties.class).toString())
                        .doesNotContain("secret"));
    }

    @Test
    void rowLocksHaveAPoolOfTheirOwn() {
        runner.withPropertyValues("rowlock.strategy=row-lock", "rowlock.pool.size=5")
                .run(context -> {
                    assertThat(context).hasSingleBean(RowLockStore.class).hasSingleBean(LeaseStore.class);
                    HikariDataSource pool = context.getBean(LockPools.class).rowLocks();
                    assertThat(pool.getPoolName()).isEqualTo("rowlock-row-lock");
                    assertThat(pool.getMaximumPoolSize()).isEqualTo(5);
                    assertThat(pool.getMinimumIdle()).isZero();
                    assertThat(pool.isAutoCommit()).isFalse();
                    assertThat(pool.getConnectionInitSql()).isNull();
                    assertThat(pool.getDataSourceProperties()).containsEntry("autoReconnect", "false");
                    assertThat(pool.getHikariPoolMXBean()).isNull();
                });
    }

    @Test
    void waitingHasAPoolOfItsOwn() {
        runner.withPropertyValues("rowlock.pool.size=3").run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(NamedLocks.class);
            HikariDataSource waiting = context.getBean(LockPools.class).waiting();
            assertThat(waiting.getMaximumPoolSize()).isEqualTo(3);
            assertThat(waiting.getMinimumIdle()).isZero();
            assertThat(waiting.getDataSourceProperties())
                    .isEqualTo(context.getBean(LockPools.class).locks().getDataSourceProperties());
        });
    }

    @Test
    void batchesHaveAPoolOfTheirOwnThatTakesSeveralStatementsAtOnce() {
        runner.run(context -> {
            HikariDataSource batches = context.getBean(LockPools.class).batches();
            assertThat(batches.getMaximumPoolSize()).isEqualTo(LeaseStore.BATCHES);
            assertThat(batches.getMinimumIdle()).isZero();
            assertThat(batches.getHikariPoolMXBean()).isNull();
            assertThat(batches.getDataSourceProperties()).containsEntry("allowMultiQueries", "true");
            assertThat(context.getBean(LockPools.class).locks().getDataSourceProperties())
                    .doesNotContainKey("allowMultiQueries");
        });
    }

    @Test
    void rowLockStoreOfTheApplicationWins() {
        runner.withPropertyValues("rowlock.strategy=row-lock")
                .withBean("mine", RowLockStore.class, RowlockAutoConfigurationTests::rowLockStore)
                .run(context ->
                        assertThat(context).getBeanNames(RowLockStore.class).containsExactly("mine"));
    }

    @Test
    void rowLocksDeclaredAsAnyStoreAreFenced() {
        runner.withPropertyValues("rowlock.strategy=row-lock")
                .withBean("mine", LockStore.class, RowlockAutoConfigurationTests::rowLockStore)
                .run(context -> assertThat(
                                context.getBean("mine", LockStore.class).commitCheck(context.getBean(DataSource.class)))
                        .isPresent());
    }

    private static RowLockStore rowLockStore() {
        DataSource own = new DriverManagerDataSource("jdbc:mysql://127.0.0.1:1/test");
        return new RowLockStore(
                new LockDatabase(own, 8, Duration.ofSeconds(3)), own, 3, new TablePrefix("rowlock_"), true);
    }

    @Test
    void severalDataSourcesWithoutPrimaryAreRefused() {
        runner.withUserConfiguration(TwoDataSources.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("No qualifying bean")
                        .hasMessageContaining("first,second"));
        runner.withUserConfiguration(TwoDataSources.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("There are several DataSources")
                        .hasStackTraceContaining("[first, second]"));
    }

    @Test
    void primaryOfSeveralDataSourcesIsTaken() {
        runner.withUserConfiguration(TwoDataSourcesOnePrimary.class)
                .run(context -> assertThat(
                                context.getBean(LockPools.class).locks().getJdbcUrl())
                        .endsWith("/second"));
    }

    @Test
    void otherDatabaseIsRefused() {
        runner.withBean(DataSource.class, () -> hikari("jdbc:h2:mem:test;USER=sa"))
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(RowlockSetupException.class)
                        .hasMessageContaining("the database is jdbc:h2."));
    }

    @Test
    void transactionManagerIsFenced() {
        runner.run(context -> assertThat(
                        context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners())
                .singleElement()
                .isInstanceOf(TransactionFence.class));
    }

    @Test
    void fencingCanBeSwitchedOff() {
        runner.withPropertyValues("rowlock.fencing.transactional=false")
                .run(context -> assertThat(
                                context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners())
                        .isEmpty());
    }

    @Test
    void listenersOfTheApplicationAreCollected() {
        LockListener mine = event -> {};
        runner.withBean("mine", LockListener.class, () -> mine)
                .run(context -> assertThat(context).getBeans(LockListener.class).hasSize(2));
    }

    @Test
    void withoutFlywayTheTablesAreOnlyLookedFor(CapturedOutput output) {
        LoggingSystem.get(getClass().getClassLoader()).setLogLevel("io.rowlock.autoconfigure.database", LogLevel.INFO);
        runner.withClassLoader(new FilteredClassLoader(Flyway.class))
                .withPropertyValues("rowlock.schema.initialize=always")
                .run(context ->
                        assertThat(context.getStartupFailure()).hasStackTraceContaining("accepts no connection"));
        assertThat(output).contains("Rowlock's tables are only looked for");
    }

    @Test
    void managerOfAContextAboveIsGuardedOnce() {
        ConfigurableTransactionManager manager = new JdbcTransactionManager(hikari("jdbc:mysql://127.0.0.1:1/test"));
        new ApplicationContextRunner()
                .withBean("above", PlatformTransactionManager.class, () -> (PlatformTransactionManager) manager)
                .run(parent -> runner.withParent(parent).run(context -> {
                    assertThat(manager.getTransactionExecutionListeners())
                            .singleElement()
                            .isInstanceOf(TransactionFence.class);
                    context.getBeansOfType(SmartInitializingSingleton.class)
                            .get("rowlockTransactionFences")
                            .afterSingletonsInstantiated();
                    assertThat(manager.getTransactionExecutionListeners()).hasSize(1);
                }));
    }

    @Test
    void noAdvisorIsMadeInVain(CapturedOutput output) {
        LoggingSystem.get(getClass().getClassLoader()).setLogLevel("org.springframework.aop", LogLevel.TRACE);
        runner.withConfiguration(AutoConfigurations.of(RowlockInterceptorAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().hasBean("rowlockFirstLockAdvisor"));
        assertThat(output).doesNotContain("Skipping");
    }

    @Test
    void withoutHikariAWayOutIsNamed() {
        runner.withClassLoader(new FilteredClassLoader(HikariDataSource.class))
                .withBean(DataSource.class, () -> new DriverManagerDataSource("jdbc:mysql://127.0.0.1:1/test"))
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(RowlockSetupException.class)
                        .hasMessageContaining("HikariCP is not on the class path"));
    }

    @Test
    void eventsAreApplicationEvents() {
        List<LockEvent> seen = new ArrayList<>();
        LockEvent event = new LockEvent(
                LockEvent.Type.LOST,
                "k",
                "k",
                LockMode.SHARED,
                "lease",
                "me",
                7,
                Duration.ZERO,
                Duration.ZERO,
                Instant.EPOCH);
        runner.withInitializer(context -> context.addApplicationListener(
                        ApplicationListener.forPayload((LockEvent published) -> seen.add(published))))
                .run(context -> context.getBean(LockListener.class).onEvent(event));
        assertThat(seen).containsExactly(event);
    }

    @Test
    void annotationAskingForASharedLockOfAStrategyWithoutIsRefused() {
        LockStore exclusiveOnly = store("solo");
        given(exclusiveOnly.capabilities())
                .willReturn(
                        new StoreCapabilities(Set.of(LockMode.EXCLUSIVE), Duration.ofSeconds(1), true, Handoffs.RANGE));
        runner.withConfiguration(AutoConfigurations.of(RowlockInterceptorAutoConfiguration.class))
                .withBean("solo", LockStore.class, () -> exclusiveOnly)
                .withBean(Reading.class)
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .hasMessageContaining("\"solo\" has no shared locks")
                        .hasMessageContaining("read"));
    }

    static class Reading {
        @ReadLock(name = "debt", strategy = "solo")
        public void read() {}
    }

    private static LockStore store(String strategy) {
        LockStore store = mock(LockStore.class);
        given(store.strategy()).willReturn(strategy);
        given(store.capabilities())
                .willReturn(
                        new StoreCapabilities(Set.of(LockMode.values()), Duration.ofSeconds(1), true, Handoffs.RANGE));
        return store;
    }

    private static HikariDataSource hikari(String url) {
        HikariDataSource dataSource = new HikariDataSource();
        dataSource.setJdbcUrl(url);
        return dataSource;
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSources {
        @Bean
        DataSource first() {
            return hikari("jdbc:mysql://127.0.0.1:1/first");
        }

        @Bean
        DataSource second() {
            return hikari("jdbc:mysql://127.0.0.1:1/second");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSourcesOnePrimary {
        @Bean
        DataSource first() {
            return hikari("jdbc:mysql://127.0.0.1:1/first");
        }

        @Bean
        @Primary
        DataSource second() {
            return hikari("jdbc:mysql://127.0.0.1:1/second");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ProxiedTransactions {
        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(new LazyConnectionDataSourceProxy(dataSource));
        }
    }
}
