package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.Additions;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** A thread decides where its transaction is: the row of its lock tells whether the commit can be checked there. */
@OnServer
@OnRedis
@ExtendWith(OutputCaptureExtension.class)
class RoutedTransactionTests {
    private static final ThreadLocal<String> ROUTE = ThreadLocal.withInitial(() -> "locks");

    @RegisterExtension
    private static final FreshSchema locks = new FreshSchema(Additions.TABLE);

    @RegisterExtension
    private static final FreshSchema bare = new FreshSchema(Additions.TABLE);

    @RegisterExtension
    private static final FreshSchema withTables = new FreshSchema(Additions.TABLE);

    private static OtherNode other;

    @BeforeAll
    static void start() {
        new TestApplication(withTables).start().close();
        other = OtherNode.on(locks);
    }

    @AfterAll
    static void stop() {
        if (other != null) {
            other.close();
        }
    }

    @BeforeEach
    void empty() {
        ROUTE.remove();
        List.of(locks, bare, withTables).forEach(Additions::clear);
    }

    @Test
    void lostLockRefusesTheCommitOnTheRouteToTheLockTables() {
        try (var context = routing().start()) {
            Work work = context.getBean(Work.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> work.add(() -> other.takeOver("add").close()));
            assertThat(Additions.in(locks)).isZero();
            work.add(() -> {});
            assertThat(Additions.in(locks)).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bare", "withTables"})
    void heldLockLetsTheCommitOnAnotherRoutePassAndWarnsOnce(String route, CapturedOutput output) {
        try (var context = routing().start()) {
            ROUTE.set(route);
            Work work = context.getBean(Work.class);
            work.add(() -> assertThat(other.canLock("add")).isFalse());
            work.add(() -> {});
            assertThat(Additions.in(route.equals("bare") ? bare : withTables)).isEqualTo(2);
            assertThat(output.getOut().lines().filter(line -> line.contains("is on another database")))
                    .singleElement()
                    .asString()
                    .contains(" WARN ", "transactionManager", "not covered");

            ROUTE.set("locks");
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> work.add(() -> other.takeOver("add").close()));
        }
    }

    @Test
    void uncoveredCommitIsRefusedIfToldSo(CapturedOutput output) {
        try (var context = routing().with("rowlock.fencing.uncovered", "refuse").start()) {
            Work work = context.getBean(Work.class);
            ROUTE.set("bare");
            assertThatExceptionOfType(LockStoreException.class)
                    .as("the first commit")
                    .isThrownBy(() -> work.add(() -> {}))
                    .withMessageContaining("rowlock.fencing.uncovered=warn");
            assertThat(Additions.in(bare)).isZero();
            ROUTE.set("locks");
            work.add(() -> {});
            assertThat(Additions.in(locks)).isOne();
        }
        assertThat(output).doesNotContain("is on another database");
    }

    /** The key has its rows there, as in a copy of the whole database. */
    @ParameterizedTest
    @ValueSource(strings = {"row-lock", "redis"})
    void copyOfTheLockTablesDoesNotPassForThem(String strategy, CapturedOutput output) throws IOException {
        RedisServer redis = RedisServer.start();
        try (var context = routing()
                .withRedis(redis)
                .with("rowlock.strategy", strategy)
                .with("rowlock.fencing.uncovered", "refuse")
                .start()) {
            Work work = context.getBean(Work.class);
            work.add(() -> {});
            assertThat(Additions.in(locks)).isOne();
            copyRowsOfKeys();
            ROUTE.set("withTables");
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> work.add(() -> {}))
                    .withMessageContaining("another database than the lock tables");
            assertThat(Additions.in(withTables)).isZero();
        } finally {
            redis.stop();
        }
    }

    private static void copyRowsOfKeys() {
        for (String table : new String[] {"rowlock_row", "rowlock_fence"}) {
            withTables.jdbc().execute("DELETE FROM " + table);
            withTables
                    .jdbc()
                    .execute("INSERT INTO %1$s SELECT * FROM %2$s.%1$s"
                            .formatted(table, locks.schema().name()));
        }
    }

    @Test
    void lockOfATransactionNeedsTheRouteToTheLockTables() {
        try (var context = routing().start()) {
            Work work = context.getBean(Work.class);
            for (String elsewhere : new String[] {"bare", "withTables"}) {
                ROUTE.set("locks");
                work.addTransactional(() -> {});
                ROUTE.set(elsewhere);
                assertThatIllegalStateException()
                        .isThrownBy(() -> work.addTransactional(() -> {}))
                        .withMessageContaining("does not run on the database of the lock tables");
            }
            assertThat(Additions.in(bare) + Additions.in(withTables)).isZero();
            assertThat(Additions.in(locks)).isEqualTo(2);
        }
    }

    @Test
    void lockOfATransactionKnowsItsServerUnderAnotherName() {
        String alias = locks.schema().jdbcUrl().replace("//127.0.0.1", "//localhost");
        assumeThat(alias).isNotEqualTo(locks.schema().jdbcUrl());
        try (var context = new TestApplication(locks, Work.class)
                        .with("rowlock.datasource.url", alias)
                        .with("rowlock.datasource.username", locks.schema().username())
                        .with("rowlock.datasource.password", locks.schema().password())
                        .start();
                var second = new TestApplication(locks, Work.class)
                        .with("rowlock.wait-time", "0s")
                        .start()) {
            context.getBean(Work.class)
                    .addTransactional(() -> assertThatExceptionOfType(CompletionException.class)
                            .isThrownBy(() -> CompletableFuture.runAsync(
                                            () -> second.getBean(Work.class).addTransactional(() -> {}))
                                    .join())
                            .withCauseInstanceOf(LockNotAcquiredException.class));
        }
        assertThat(Additions.in(locks)).isOne();
    }

    @Test
    void sameServerUnderAnotherNameIsCovered(CapturedOutput output) {
        String alias = locks.schema().jdbcUrl().replace("//127.0.0.1", "//localhost");
        assumeThat(alias).isNotEqualTo(locks.schema().jdbcUrl());
        try (var context = new TestApplication(locks, Work.class)
                .with("rowlock.datasource.url", alias)
                .with("rowlock.datasource.username", locks.schema().username())
                .with("rowlock.datasource.password", locks.schema().password())
                .start()) {
            Work work = context.getBean(Work.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> work.add(() -> other.takeOver("add").close()));
            assertThat(Additions.in(locks)).isZero();
        }
        assertThat(output).doesNotContain("another database", "Commits of ");
    }

    @Test
    void routeThatRefusesAtTheStartIsJudgedAtFirstUse() {
        ROUTE.set("nowhere");
        try (var context = routing().start()) {
            ROUTE.set("locks");
            Work work = context.getBean(Work.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> work.add(() -> other.takeOver("add").close()));
        }
    }

    // ---- second DataSources

    @Test
    void secondDataSourceIsNotConnectedAtTheStartAndJudgedAtItsFirstUse(CapturedOutput output) {
        Seconds.connections.set(0);
        try (var context = new TestApplication(locks, Seconds.class).start()) {
            assertThat(Seconds.connections).hasValue(0);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> addBy(
                            context, "second", () -> other.takeOver("second").close()));
            assertThat(Additions.in(locks)).isZero();
            addBy(context, "second", () -> {});
            assertThat(Additions.in(locks)).isOne();
            Additions.clear(locks);
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> addBy(context, "unprivileged", () -> {}));
            assertThat(Additions.in(locks)).isZero();
            locks.grant("SELECT, INSERT, UPDATE, DELETE", locks.schema().name() + ".*", Seconds.user);
            addBy(context, "unprivileged", () -> {});
            assertThat(Additions.in(locks)).isOne();
        }
        assertThat(output).doesNotContain("is on another database");
    }

    private static void addBy(ApplicationContext context, String manager, Runnable during) {
        PlatformTransactionManager transactions = context.getBean(manager, PlatformTransactionManager.class);
        JdbcTemplate jdbc = new JdbcTemplate(((JdbcTransactionManager) transactions).getDataSource());
        context.getBean(LockClient.class)
                .execute(
                        LockRequest.exclusive("second"),
                        () -> new TransactionTemplate(transactions).executeWithoutResult(status -> {
                            jdbc.update("INSERT INTO work VALUES (1)");
                            during.run();
                        }));
    }

    @Configuration(proxyBeanMethods = false)
    static class Seconds {
        private static final AtomicInteger connections = new AtomicInteger();
        private static String user;

        @Bean(defaultCandidate = false)
        JdbcTransactionManager second() {
            return new JdbcTransactionManager(
                    new DelegatingDataSource(locks.schema().dataSource()) {
                        @Override
                        public Connection getConnection() throws SQLException {
                            connections.incrementAndGet();
                            return super.getConnection();
                        }
                    });
        }

        @Bean(defaultCandidate = false)
        JdbcTransactionManager unprivileged() {
            user = locks.userWithoutRights();
            locks.grant("SELECT, INSERT", locks.schema().name() + ".work", user);
            return new JdbcTransactionManager(
                    new DriverManagerDataSource(locks.schema().jdbcUrl(), user, FreshSchema.PASSWORD));
        }
    }

    // ----

    private static TestApplication routing() {
        return new TestApplication(locks, Routing.class, Work.class)
                .with("rowlock.datasource.url", locks.schema().jdbcUrl())
                .with("rowlock.datasource.username", locks.schema().username())
                .with("rowlock.datasource.password", locks.schema().password());
    }

    @Configuration(proxyBeanMethods = false)
    static class Routing {
        @Bean
        DataSource routing() {
            AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
                @Override
                protected Object determineCurrentLookupKey() {
                    return ROUTE.get();
                }
            };
            routing.setTargetDataSources(Map.of(
                    "locks", locks.schema().dataSource(),
                    "bare", bare.schema().dataSource(),
                    "withTables", withTables.schema().dataSource(),
                    "nowhere", new Nowhere()));
            return routing;
        }
    }

    /** As a DataSource without a current tenant. */
    private static final class Nowhere extends AbstractDataSource {
        @Override
        public Connection getConnection() throws SQLException {
            throw new IllegalStateException("there is no current tenant");
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return getConnection();
        }
    }

    static class Work extends Additions {
        Work(JdbcTemplate jdbc) {
            super(jdbc);
        }

        @DistributedLock(name = "transactional", strategy = "transaction")
        @Transactional(timeout = 60)
        public void addTransactional(Runnable during) {
            insert(during);
        }
    }
}
