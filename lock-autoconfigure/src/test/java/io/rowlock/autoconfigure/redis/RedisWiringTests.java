package io.rowlock.autoconfigure.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.autoconfigure.database.RowlockDataSourceAutoConfiguration;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.autoconfigure.leader.RowlockLeaderAutoConfiguration;
import io.rowlock.autoconfigure.store.RowlockStartUpAutoConfiguration;
import io.rowlock.autoconfigure.transaction.RowlockTransactionAutoConfiguration;
import io.rowlock.client.RowlockClient;
import io.rowlock.leader.LeaderElections;
import io.rowlock.store.LockStore;
import io.rowlock.store.memory.InMemoryLockStore;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.store.redis.RedisSettings;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications that keep their locks in Redis, or want to. */
@OnRedis
@ExtendWith(OutputCaptureExtension.class)
class RedisWiringTests {
    private static final LoggingSystem LOGGING = LoggingSystem.get(RedisWiringTests.class.getClassLoader());

    private final String key = "key-" + UUID.randomUUID();
    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RowlockDataSourceAutoConfiguration.class,
                    RowlockRedisAutoConfiguration.class,
                    RowlockAutoConfiguration.class,
                    RowlockStartUpAutoConfiguration.class,
                    RowlockTransactionAutoConfiguration.class,
                    RowlockLeaderAutoConfiguration.class));
    private final ApplicationContextRunner runner;

    RedisWiringTests(RedisServer server) {
        runner = bare.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port());
    }

    @Test
    void withoutDataSourceTheLocksAreInRedis() {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            RowlockClient client = context.getBean(RowlockClient.class);
            assertThat(client.settings().strategy()).isEqualTo("redis");
            try (HeldLock lock = client.acquire(LockRequest.exclusive(key))) {
                assertThat(lock.isHeld()).isTrue();
                assertThat(client.admin().holders(key))
                        .singleElement()
                        .satisfies(
                                holder -> assertThat(holder.holder().strategy()).isEqualTo("redis"));
            }
        });
    }

    @BeforeEach
    void showWhatAnApplicationShows() {
        LOGGING.setLogLevel("io.rowlock", LogLevel.INFO);
    }

    @AfterEach
    void showWarnings() {
        LOGGING.setLogLevel("io.rowlock", null);
    }

    @Test
    void withoutDataSourceOneLineSaysWhatIsNotProtected(CapturedOutput output) {
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("rowlockRedisFencing"));
        assertThat(output)
                .containsOnlyOnce(
                        "because there is no DataSource for the lock tables, or no auto-configuration of fences: store fencingToken()");
    }

    @Test
    void withoutFencingOneLineSaysWhatIsNotProtected(CapturedOutput output) {
        runner.withPropertyValues("rowlock.fencing.transactional=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("rowlockTransactionFences"));
        assertThat(output).containsOnlyOnce("because rowlock.fencing.transactional is false");
    }

    @Test
    void serverThatMayEvictLocksIsWarnedOf(CapturedOutput output) throws IOException {
        RedisServer server = RedisServer.start("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru");
        try {
            runner.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + server.port())
                    .run(context -> assertThat(context).hasNotFailed());
        } finally {
            server.stop();
        }
        assertThat(output).contains("maxmemory-policy is allkeys-lru");
    }

    @Test
    void propertiesReachTheStore() {
        runner.withPropertyValues("rowlock.redis.key-prefix=mine:", "rowlock.ttl=100ms")
                .run(context -> {
                    try (HeldLock lock = context.getBean(LockClient.class).acquire(LockRequest.exclusive(key))) {
                        assertThat(lock.isHeld()).isTrue();
                        try (var connection =
                                context.getBean(LettuceConnectionFactory.class).getConnection()) {
                            assertThat(connection.keyCommands().exists(("mine:{" + key + "}").getBytes(UTF_8)))
                                    .isTrue();
                        }
                    }
                });
    }

    @Test
    void lockThatReplicasMustHaveIsNotAcquiredWithoutThem() {
        runner.withPropertyValues("rowlock.redis.min-replicas=1", "rowlock.redis.min-replicas-timeout=50ms")
                .run(context -> {
                    LockClient locks = context.getBean(LockClient.class);
                    assertThatExceptionOfType(LockStoreException.class)
                            .isThrownBy(() -> locks.acquire(LockRequest.exclusive(key)))
                            .withMessageContaining("0 of the 1 replicas")
                            .withMessageContaining("PT0.05S");
                    assertThat(locks.isLocked(key)).isFalse();
                });
    }

    @ParameterizedTest
    @CsvSource({
        "rowlock.redis.key-prefix, a{b, no braces",
        "rowlock.redis.key-prefix, a b, no blanks",
        "rowlock.redis.min-replicas, -1, 0 to 100",
        "rowlock.redis.min-replicas, 101, 0 to 100",
        "rowlock.redis.command-timeout, 61m, 10ms to 1h",
        "rowlock.redis.keep-idle, 999ms, 1s to 3650d",
        "rowlock.redis.keep-idle, 3651d, 1s to 3650d",
        "rowlock.redis.min-replicas-timeout, 9ms, 10ms to 1h",
        "rowlock.redis.promise, 1999ms, at least twice",
    })
    void badValueIsRefusedWithItsNameAndLimit(String property, String value, String limit) {
        runner.withPropertyValues(property + "=" + value)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining(property)
                        .hasMessageContaining(limit));
    }

    /** Leads to a database that Rowlock keeps no tables in. */
    static final class OtherDatabase extends AbstractDataSource {
        public String getUrl() {
            return "jdbc:h2:mem:orders";
        }

        @Override
        public Connection getConnection() {
            return mock(Connection.class);
        }

        @Override
        public Connection getConnection(String username, String password) {
            return getConnection();
        }
    }

    private static TestApplication onOtherDatabaseWithoutTables(RedisServer server) {
        return TestApplication.withoutDatabase(OtherDatabase.class)
                .withRedis(server)
                .with(
                        "spring.autoconfigure.exclude",
                        Stream.of(
                                        HibernateJpaAutoConfiguration.class,
                                        DataJpaRepositoriesAutoConfiguration.class,
                                        RowlockDataSourceAutoConfiguration.class)
                                .map(Class::getName)
                                .collect(Collectors.joining(",")));
    }

    @Test
    void locksAreInRedisBesideAnotherDatabaseWithoutTables(RedisServer server, CapturedOutput output) {
        try (ConfigurableApplicationContext node =
                onOtherDatabaseWithoutTables(server).start()) {
            assertThat(isLockedInATransaction(node)).isTrue();
        }
        assertThat(output)
                .containsOnlyOnce("are on a database without lock tables: under a lock their commits are not");
    }

    @Test
    void transactionsOfADatabaseWithoutTablesAreRefusedIfUncoveredOnesAre(RedisServer server) {
        try (ConfigurableApplicationContext node = onOtherDatabaseWithoutTables(server)
                .with("rowlock.fencing.uncovered", "refuse")
                .start()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> isLockedInATransaction(node))
                    .withMessageContaining("rowlock.fencing.uncovered is refuse");
            node.getBean(LockClient.class).acquire(LockRequest.exclusive(key)).close();
        }
    }

    private boolean isLockedInATransaction(ConfigurableApplicationContext node) {
        LockClient locks = node.getBean(LockClient.class);
        TransactionTemplate transaction = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
        return Boolean.TRUE.equals(transaction.execute(status -> {
            try (HeldLock lock = locks.acquire(LockRequest.exclusive(key))) {
                return lock.isHeld();
            }
        }));
    }

    @Test
    void otherStrategiesStayTheDefaultBesideIt() {
        runner.withBean("first", LockStore.class, () -> new InMemoryLockStore().named("lease"))
                .run(context -> assertThat(
                                context.getBean(RowlockClient.class).settings().strategy())
                        .isEqualTo("lease"));
    }

    @Test
    void storeOfTheApplicationWins() {
        runner.withBean("own", LockStore.class, () -> new InMemoryLockStore().named("redis"))
                .run(context -> {
                    LockClient client = context.getBean(LockClient.class);
                    try (HeldLock lock = client.acquire(LockRequest.exclusive(key))) {
                        assertThat(lock.isHeld()).isTrue();
                        assertThat(context.getBean(RedisLockStore.class)
                                        .inspection()
                                        .orElseThrow()
                                        .holders(key))
                                .isEmpty();
                    }
                });
    }

    @Test
    void serverThatIsNotThereStopsTheStart() {
        runner.withPropertyValues("spring.data.redis.port=1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(LockStoreException.class.getName())
                        .hasStackTraceContaining("Redis cannot be reached"));
    }

    @Test
    void listOfServersOfWhichAnyCouldBeTheMasterIsRefused(RedisServer server) {
        ApplicationContextRunner listed = runner.withPropertyValues(
                "spring.data.redis.masterreplica.nodes=" + server.host() + ":" + server.port());
        assertMissing(listed, "locks need to know the master");
        listed.withBean("rowlockRedisConnectionFactory", LettuceConnectionFactory.class, () -> factory(server))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisLockStore.class));
    }

    @Test
    void needsOfTheStrategyAreNamedWhereItIsMissing() {
        ApplicationContextRunner redis = bare.withPropertyValues("rowlock.strategy=redis");
        assertAbsent(redis, "[]");
        assertAbsent(redis.withClassLoader(new FilteredClassLoader(RedisLockStore.class)), "[]");
        assertAbsent(redis.withBean(JedisConnectionFactory.class, () -> new JedisConnectionFactory()), "[]");
        assertAbsent(runner.withPropertyValues("rowlock.strategy=redis", "rowlock.redis.enabled=false"), "[]");
        assertAbsent(redis.withBean(LockStore.class, InMemoryLockStore::new), "[memory]");
    }

    private static void assertAbsent(ApplicationContextRunner application, String known) {
        application.run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining(InvalidConfigurationPropertyValueException.class.getName())
                .hasStackTraceContaining("Property rowlock.strategy with value 'redis'")
                .hasStackTraceContaining("known are: " + known + ".")
                .hasStackTraceContaining("Strategy redis needs io.rowlock:rowlock-redis-spring-boot-starter")
                .hasStackTraceContaining("LettuceConnectionFactory"));
    }

    private static void assertMissing(ApplicationContextRunner application, String reason) {
        application.run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining(RowlockSetupException.class.getName())
                .hasStackTraceContaining(reason));
    }

    @Test
    void twoFactoriesNeedAChoice(RedisServer server) {
        ApplicationContextRunner two = bare.withPropertyValues("rowlock.strategy=redis")
                .withBean("one", LettuceConnectionFactory.class, () -> factory(server))
                .withBean("two", LettuceConnectionFactory.class, () -> factory(server));
        assertAbsent(two, "[]");
        two.withBean("rowlockRedisConnectionFactory", LettuceConnectionFactory.class, () -> factory(server))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisLockStore.class));
    }

    @Test
    void startLineDescribesTheServer(CapturedOutput output) {
        runner.run(context -> assertThat(context).hasNotFailed());
        assertThat(output.getAll().lines().filter(line -> line.contains("can keep locks by strategy redis")))
                .singleElement()
                .asString()
                .containsPattern("in (Redis|Valkey) \\S+, one server, (append-only file|locks lost in a restart)$");
    }

    @Test
    void leadersAreRefusedWhereAReplicaCanTakeOver() throws Exception {
        RedisServer master = RedisServer.start();
        AtomicReference<@Nullable RedisServer> replica = new AtomicReference<>();
        ApplicationContextRunner leaders = runner.withPropertyValues(
                "rowlock.leader.roles.boss.ttl=5s", "spring.data.redis.port=" + master.port());
        try (RedisClient client = RedisClient.create(master.uri())) {
            leaders.run(context -> {
                assertThat(context).hasNotFailed();
                LeaderElections elections = context.getBean(LeaderElections.class);

                RedisCommands<String, String> server = client.connect().sync();
                replica.set(RedisServer.start("--replicaof", master.host() + " " + master.port()));
                await().until(() -> server.info("replication").contains("connected_slaves:1"));
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> elections.of("another"))
                        .withMessageContaining("before its ttl");
                assertThat(elections.all()).hasSize(1);
            });
            leaders.run(context -> assertThat(context).getFailure().hasStackTraceContaining("before its ttl"));
        } finally {
            master.stop();
            if (replica.get() != null) {
                replica.get().stop();
            }
        }
    }

    /** Its getters show one of localhost:6379, where the application's data is not. */
    @Test
    void factoryThatHidesItsServerLeadsThere(RedisServer server) {
        RedisConfiguration hidden = new RedisStandaloneConfiguration(server.host(), server.port());
        for (String name : List.of("its", "rowlockRedisConnectionFactory")) {
            LettuceConnectionFactory factory = new LettuceConnectionFactory(hidden);
            assertThat(factory.getStandaloneConfiguration().getPort()).isNotEqualTo(server.port());
            bare.withBean(name, LettuceConnectionFactory.class, () -> factory).run(context -> {
                try (HeldLock lock = context.getBean(LockClient.class).acquire(LockRequest.exclusive(key))) {
                    assertThat(lock.isHeld()).isTrue();
                }
                try (RedisClient client = RedisClient.create(server.uri())) {
                    assertThat(client.connect().sync().keys("*" + key + "*")).isNotEmpty();
                }
            });
        }
    }

    @Test
    void factoryOfAListIsRefused() {
        assertMissing(
                bare.withBean(
                        LettuceConnectionFactory.class,
                        () -> new LettuceConnectionFactory(
                                new RedisStaticMasterReplicaConfiguration("redis.example.org", 6380))),
                "locks need to know the master");
    }

    @Test
    void proxyOfAFactoryLeadsWhereTheFactoryDoes(RedisServer server) {
        bare.withBean(LettuceConnectionFactory.class, () -> {
                    LettuceConnectionFactory factory = factory(server);
                    factory.afterPropertiesSet();
                    ProxyFactory proxies = new ProxyFactory(factory);
                    proxies.setProxyTargetClass(true);
                    return (LettuceConnectionFactory) proxies.getProxy();
                })
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RedisLockStore.class));
    }

    @Test
    void nativeImageMayReadWhatAFactoryConnectsTo() throws NoSuchFieldException {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, RowlockRedisAutoConfiguration.class);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onFieldAccess(LettuceConnectionFactory.class.getDeclaredField("configuration")))
                .accepts(hints);
    }

    @Test
    void applicationsConfigurationIsOnlyRead() {
        AtomicInteger written = new AtomicInteger();
        RedisStandaloneConfiguration shown = new RedisStandaloneConfiguration("redis.example.org") {
            @Override
            public void setPassword(RedisPassword password) {
                written.incrementAndGet();
                super.setPassword(password);
            }
        };
        new DerivedRedisClient(new LettuceConnectionFactory(shown), RedisSettings.DEFAULT).close();
        assertThat(written).hasValue(0);
    }

    private static LettuceConnectionFactory factory(RedisServer server) {
        return new LettuceConnectionFactory(server.host(), server.port());
    }
}
