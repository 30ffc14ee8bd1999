package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import jakarta.transaction.Status;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.UserTransaction;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions that would commit though their lock is lost. */
@OnServer(ServerFlavor.MYSQL)
@ExtendWith(OutputCaptureExtension.class)
class UnguardedManagerTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema();

    private final String key = UUID.randomUUID().toString(); // some lose the release of their lock

    /** Passes every call on, as one that measures does. */
    static final class Decorator implements PlatformTransactionManager {
        private final PlatformTransactionManager inner;

        Decorator(PlatformTransactionManager inner) {
            this.inner = inner;
        }

        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            return inner.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            inner.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            inner.rollback(status);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Decorated {
        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new Decorator(new JdbcTransactionManager(dataSource));
        }
    }

    /** As {@link Decorator}, but no field shows what it passes its calls on to. */
    static final class Hiding implements PlatformTransactionManager {
        private final Supplier<PlatformTransactionManager> inner;

        Hiding(PlatformTransactionManager inner) {
            this.inner = () -> inner;
        }

        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            return inner.get().getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            inner.get().commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            inner.get().rollback(status);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Hidden {
        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new Hiding(new JdbcTransactionManager(dataSource));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Jta {
        @Bean
        @Primary
        PlatformTransactionManager transactionManager() {
            AtomicBoolean open = new AtomicBoolean();
            Object jta = Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {UserTransaction.class, TransactionManager.class},
                    (proxy, method, arguments) -> {
                        switch (method.getName()) {
                            case "getStatus" -> {
                                return open.get() ? Status.STATUS_ACTIVE : Status.STATUS_NO_TRANSACTION;
                            }
                            case "suspend" -> {
                                open.set(false);
                                return mock(Transaction.class);
                            }
                            case "begin", "resume" -> open.set(true);
                            case "commit", "rollback" -> open.set(false);
                            default -> {}
                        }
                        return null;
                    });
            return new JtaTransactionManager((UserTransaction) jta, (TransactionManager) jta);
        }
    }

    @Test
    void decoratorIsGuarded() {
        try (ConfigurableApplicationContext node = new TestApplication(schema, Decorated.class).start()) {
            LockClient locks = node.getBean(LockClient.class);
            TransactionTemplate transaction = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                        HeldLock lock = locks.acquire(LockRequest.exclusive(key));
                        schema.jdbc().update("UPDATE rowlock_lock SET fence = fence + 1000 WHERE lock_key = ?", key);
                        assertThat(lock.isHeld()).isTrue();
                    }));
        }
    }

    @Test
    void lockIsRefusedInATransactionOfAManagerThatIsNoBean() {
        try (ConfigurableApplicationContext node = new TestApplication(schema).start()) {
            LockClient locks = node.getBean(LockClient.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(new JdbcTransactionManager(node.getBean(DataSource.class)));
            assertThatIllegalStateException()
                    .isThrownBy(
                            () -> transaction.executeWithoutResult(status -> locks.acquire(LockRequest.exclusive(key))))
                    .withMessageContaining("rowlock.fencing.unguarded-managers");
            assertThat(locks.isLocked(key)).isFalse();
        }
    }

    @Test
    void lockIsRefusedInsideATransactionOfAManagerThatIsNoBean() {
        try (ConfigurableApplicationContext node = new TestApplication(schema).start()) {
            new TransactionTemplate(new JdbcTransactionManager(schema.schema().dataSource()))
                    .executeWithoutResult(status -> assertThatIllegalStateException()
                            .isThrownBy(() -> isLockAcquired(node, "transactionManager"))
                            .withMessageContaining("rowlock.fencing.unguarded-managers"));
            assertThat(isLockAcquired(node, "transactionManager")).isTrue();
        }
    }

    /** As one of a library that Spring knows nothing of: it cannot be guarded. */
    static final class Foreign implements PlatformTransactionManager {
        private final DataSource dataSource;

        Foreign(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        private TransactionTemplate hidden() {
            return new TransactionTemplate(new JdbcTransactionManager(dataSource));
        }

        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            return Objects.requireNonNull(hidden().getTransactionManager()).getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            Objects.requireNonNull(hidden().getTransactionManager()).commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            Objects.requireNonNull(hidden().getTransactionManager()).rollback(status);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoForeign {
        @Bean(defaultCandidate = false)
        DataSource second(DataSourceProperties properties) {
            return new DriverManagerDataSource(
                    properties.determineUrl(), properties.determineUsername(), properties.determinePassword());
        }

        @Bean
        PlatformTransactionManager foreign(DataSource dataSource) {
            return new Foreign(dataSource);
        }

        @Bean
        PlatformTransactionManager excepted(@Qualifier("second") DataSource second) {
            return new Foreign(second);
        }
    }

    @Test
    void exceptionIsForTheNamedManagerAlone(CapturedOutput output) {
        TestApplication application =
                new TestApplication(schema, TwoForeign.class).with("rowlock.fencing.unguarded-managers[0]", "excepted");
        try (ConfigurableApplicationContext node = application.start()) {
            assertThat(isLockAcquired(node, "excepted")).isTrue();
            assertThatIllegalStateException()
                    .isThrownBy(() -> isLockAcquired(node, "foreign"))
                    .withMessageContaining("rowlock.fencing.unguarded-managers");
        }
        assertThat(output)
                .containsPattern("Transactions of foreign .* Locks are refused in them")
                .containsPattern("Transactions of excepted .* They may have locks");
    }

    private boolean isLockAcquired(ConfigurableApplicationContext node, String manager) {
        return isLockAcquired(node, node.getBean(manager, PlatformTransactionManager.class));
    }

    private boolean isLockAcquired(ConfigurableApplicationContext node, PlatformTransactionManager manager) {
        return Boolean.TRUE.equals(new TransactionTemplate(manager).execute(status -> {
            try (HeldLock lock = node.getBean(LockClient.class).acquire(LockRequest.exclusive(key))) {
                return lock.isHeld();
            }
        }));
    }

    @Test
    void nameThatNoManagerHasIsRefused() {
        TestApplication application =
                new TestApplication(schema).with("rowlock.fencing.unguarded-managers[0]", "transactionManger");
        assertThatException()
                .isThrownBy(() -> application.start().close())
                .withMessageContaining("\"transactionManger\"")
                .withMessageContaining("the transaction managers are [transactionManager].");
    }

    /** As one of a message broker. */
    static final class OfOtherResources extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Test
    void lockIsAcquiredInATransactionOfOtherResources() {
        try (ConfigurableApplicationContext node = new TestApplication(schema).start()) {
            assertThat(isLockAcquired(node, new OfOtherResources())).isTrue();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Other {
        @Bean
        PlatformTransactionManager other() {
            return new OfOtherResources();
        }
    }

    @Test
    void managerOfOtherResourcesIsNamed(CapturedOutput output) {
        try (ConfigurableApplicationContext node = new TestApplication(schema, Other.class).start()) {
            assertThat(isLockAcquired(node, "other")).isTrue();
        }
        assertThat(output).containsPattern("WARN .*Transactions of other have no DataSource: .* not covered");
    }

    /** As those of Kafka, RabbitMQ and JMS. */
    @Configuration(proxyBeanMethods = false)
    static class OfABroker {
        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean(defaultCandidate = false)
        PlatformTransactionManager broker() {
            OfOtherResources manager = new OfOtherResources();
            manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
            return manager;
        }
    }

    @Test
    void lockInATransactionOfABrokerGuardsTheTransactionInside(CapturedOutput output) {
        try (ConfigurableApplicationContext node = new TestApplication(schema, OfABroker.class).start()) {
            LockClient locks = node.getBean(LockClient.class);
            TransactionTemplate broker =
                    new TransactionTemplate(node.getBean("broker", PlatformTransactionManager.class));
            TransactionTemplate inside =
                    new TransactionTemplate(node.getBean("transactionManager", PlatformTransactionManager.class));
            broker.executeWithoutResult(message -> {
                try (HeldLock lock = locks.acquire(LockRequest.exclusive(key))) {
                    inside.executeWithoutResult(
                            status -> assertThat(lock.isHeld()).isTrue());
                    schema.jdbc().update("UPDATE rowlock_lock SET fence = fence + 1000 WHERE lock_key = ?", key);
                    assertThatExceptionOfType(LockLostException.class)
                            .isThrownBy(() -> inside.executeWithoutResult(status -> {}));
                }
            });
            // Writes inside are committed after the lock would be released
            inside.executeWithoutResult(status -> assertThatIllegalStateException()
                    .isThrownBy(() -> isLockAcquired(node, "broker"))
                    .withMessageContaining("SYNCHRONIZATION_NEVER"));
        }
        assertThat(output).containsPattern("Transactions of broker have no DataSource and keep no lock");
    }

    @Test
    void lockIsRefusedInATransactionOfABrokerIfUncoveredOnesAre() {
        TestApplication refusing =
                new TestApplication(schema, OfABroker.class).with("rowlock.fencing.uncovered", "refuse");
        try (ConfigurableApplicationContext node = refusing.start()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> isLockAcquired(node, "broker"))
                    .withMessageContaining("rowlock.fencing.uncovered is refuse");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Reactive {
        @Bean
        ReactiveTransactionManager reactive() {
            return mock(ReactiveTransactionManager.class);
        }
    }

    @Test
    void reactiveManagerIsNamed(CapturedOutput output) {
        new TestApplication(schema, Reactive.class).start().close();
        assertThat(output).containsPattern("WARN .*Transactions of reactive are not guarded");
    }

    @Test
    void lockIsRefusedInATransactionOfOtherResourcesIfUncoveredOnesAre() {
        TestApplication refusing = new TestApplication(schema, Other.class).with("rowlock.fencing.uncovered", "refuse");
        try (ConfigurableApplicationContext node = refusing.start()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> isLockAcquired(node, "other"))
                    .withMessageContaining("have no DataSource, and rowlock.fencing.uncovered is refuse")
                    .withMessageContaining("rowlock.fencing.unguarded-managers");
            assertThat(node.getBean(LockClient.class).isLocked(key)).isFalse();
        }
        try (ConfigurableApplicationContext node =
                refusing.with("rowlock.fencing.unguarded-managers[0]", "other").start()) {
            assertThat(isLockAcquired(node, "other")).isTrue();
        }
    }

    @Test
    void lockIsRefusedInATransactionThatCannotKeepIt() {
        try (ConfigurableApplicationContext node = new TestApplication(schema).start()) {
            LockClient locks = node.getBean(LockClient.class);
            AbstractPlatformTransactionManager manager = node.getBean(AbstractPlatformTransactionManager.class);
            manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
            TransactionTemplate transaction = new TransactionTemplate(manager);
            assertThatIllegalStateException()
                    .isThrownBy(
                            () -> transaction.executeWithoutResult(status -> locks.acquire(LockRequest.exclusive(key))))
                    .withMessageContaining("SYNCHRONIZATION_NEVER");
            locks.acquire(LockRequest.exclusive(key)).close();
        }
    }

    @Test
    void lockIsRefusedInAJtaTransactionUnlessItsManagerIsExcepted() {
        refusedUnlessExcepted(Jta.class, "JTA");
    }

    @Configuration(proxyBeanMethods = false)
    static class JtaAndJdbc extends Jta {
        @Bean
        PlatformTransactionManager jdbc(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    /** Writes of the body on a DataSource of JTA are committed with the outer one, after the lock was released. */
    @Test
    void lockIsRefusedInATransactionInsideOneOfJta() {
        try (ConfigurableApplicationContext node = new TestApplication(schema, JtaAndJdbc.class).start()) {
            TransactionTemplate jta = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
            jta.executeWithoutResult(status -> assertThatIllegalStateException()
                    .isThrownBy(() -> isLockAcquired(node, "jdbc"))
                    .withMessageContaining("JTA"));
            assertThat(isLockAcquired(node, "jdbc")).isTrue();
        }
    }

    /** The inner one is the one that commits what the body writes, whatever becomes of the outer one. */
    @Test
    void lockIsRefusedInATransactionInsideANewOneOfJta() {
        try (ConfigurableApplicationContext node = new TestApplication(schema, JtaAndJdbc.class).start()) {
            TransactionTemplate jta = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
            TransactionTemplate another = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
            another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            jta.executeWithoutResult(around -> another.executeWithoutResult(status -> assertThatIllegalStateException()
                    .isThrownBy(() -> isLockAcquired(node, "jdbc"))
                    .withMessageContaining("JTA")));
            assertThat(isLockAcquired(node, "jdbc")).isTrue();
        }
    }

    @Test
    void lockIsAcquiredWhileTheTransactionOfJtaIsSuspended() {
        try (ConfigurableApplicationContext node = new TestApplication(schema, JtaAndJdbc.class).start()) {
            TransactionTemplate jta = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
            TransactionTemplate none = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
            none.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
            jta.executeWithoutResult(status -> none.executeWithoutResult(
                    suspended -> assertThat(isLockAcquired(node, "jdbc")).isTrue()));
        }
    }

    @Test
    void lockIsRefusedInATransactionThatCannotBeGuardedUnlessItsManagerIsExcepted() {
        refusedUnlessExcepted(Hidden.class, "rowlock.fencing.unguarded-managers");
    }

    /** @param message a part of the refusal */
    private void refusedUnlessExcepted(Class<?> managers, String message) {
        try (ConfigurableApplicationContext node = new TestApplication(schema, managers).start()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> isLockAcquired(node, "transactionManager"))
                    .withMessageContaining(message);
        }
        TestApplication excepted = new TestApplication(schema, managers)
                .with("rowlock.fencing.unguarded-managers[0]", "transactionManager");
        try (ConfigurableApplicationContext node = excepted.start()) {
            assertThat(isLockAcquired(node, "transactionManager")).isTrue();
        }
    }
}
