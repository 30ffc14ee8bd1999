package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.OnBusy;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.transaction.LoggedTransactions;
import io.rowlock.client.transaction.ScriptedTransactionLocks;
import io.rowlock.store.TransactionLocks.Outcome;
import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** When a method's lock is taken, and by which transaction, without a database. */
class TransactionLockAdviceTests {
    private final ScriptedTransactionLocks locks = new ScriptedTransactionLocks();
    private final LoggedTransactions transactions = new LoggedTransactions(locks.log);
    private AnnotationConfigApplicationContext context;

    @AfterEach
    void close() {
        if (context != null) {
            context.close();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(LockInterceptorConfiguration.class)
    @EnableTransactionManagement
    static class Application {}

    /** The advice of transactions outside that of locks. */
    @Configuration(proxyBeanMethods = false)
    @Import(LockInterceptorConfiguration.class)
    @EnableTransactionManagement(order = 1)
    static class TransactionsOutside {}

    private <T> T service(Class<T> type) {
        return service(type, Application.class);
    }

    private <T> T service(Class<T> type, Class<?> application) {
        context = new AnnotationConfigApplicationContext();
        context.registerBean(LoggedTransactions.class, () -> transactions);
        context.registerBean(
                RowlockClient.class,
                () -> RowlockClient.builder(new InMemoryLockStore())
                        .transactionLocks(locks)
                        .build());
        context.register(application, type);
        context.refresh();
        return context.getBean(type);
    }

    private Service service() {
        return service(Service.class);
    }

    static class Service {
        @DistributedLock(name = "a", waitTime = "0s", strategy = "transaction")
        @Transactional
        public String required(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock(name = "a", waitTime = "0s", strategy = "transaction")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public String requiresNew(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock(name = "a", waitTime = "0s", strategy = "transaction")
        @Transactional(propagation = Propagation.NESTED)
        public String nested(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock(name = "a", waitTime = "0s", strategy = "transaction")
        @Transactional(propagation = Propagation.SUPPORTS)
        public String supports(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock(name = "a", waitTime = "0s", strategy = "transaction")
        public String plain(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock(name = "a", waitTime = "0s", strategy = "transaction")
        @Transactional
        public Object open(Supplier<?> body) {
            return body.get();
        }

        @DistributedLock(name = "a", waitTime = "0s", strategy = "transaction", onBusy = OnBusy.SKIP)
        @Transactional
        public @Nullable String skips(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock(name = "a", waitTime = "0s", strategy = "transaction", fallback = "instead")
        @Transactional
        public String hasFallback(Supplier<String> body) {
            return body.get();
        }

        String instead(Supplier<String> body) {
            return body == null ? "no body" : "instead";
        }
    }

    private String run() {
        locks.log.add("body");
        return "ran";
    }

    private <T> T inTransaction(Supplier<T> work) {
        return new TransactionTemplate(transactions).execute(status -> work.get());
    }

    @Test
    void lockIsTheFirstOfTheTransactionThatTheMethodBegins() {
        locks.readsCommitted = false;
        assertThat(service().required(this::run)).isEqualTo("ran");
        assertThat(locks.log).containsExactly("create a", "begin", "lock a", "body", "commit");
    }

    @Test
    void lockIsTheFirstOfATransactionInsideAnother() {
        Service service = service();
        locks.readsCommitted = false;
        inTransaction(() -> service.requiresNew(this::run));
        assertThat(locks.log).containsExactly("begin", "create a", "begin", "lock a", "body", "commit", "commit");
    }

    @Test
    void methodThatJoinsATransactionLocksInThat() {
        Service service = service();
        inTransaction(() -> service.required(this::run) + service.supports(this::run) + service.plain(this::run));
        assertThat(locks.log).containsExactly("begin", "lock a", "body", "body", "body", "commit");
    }

    @Test
    void methodThatJoinsATransactionOfOldReadsIsRefused() {
        Service service = service();
        locks.readsCommitted = false;
        assertThatIllegalStateException()
                .isThrownBy(() -> inTransaction(() -> service.required(this::run)))
                .withMessageContaining("REPEATABLE READ");
        assertThat(locks.log).doesNotContain("body", "lock a");
    }

    @Test
    void methodWithoutATransactionIsRefused() {
        Service service = service();
        for (ThrowingCallable call :
                List.<ThrowingCallable>of(() -> service.supports(this::run), () -> service.plain(this::run))) {
            assertThatIllegalStateException().isThrownBy(call).withMessageContaining("no transaction is open");
        }
        assertThat(locks.log).isEmpty();
    }

    /** The transaction is on another database, or of a transaction manager that shows no JDBC connection. */
    @Test
    void transactionThatDoesNotLeadToTheLockTablesIsRefusedAndRolledBack() {
        Service service = service();
        locks.reachable = false;
        assertThatIllegalStateException()
                .isThrownBy(() -> service.required(this::run))
                .withMessageContaining("does not run on the database of the lock tables");
        assertThat(locks.log).containsExactly("create a", "begin", "rollback");
    }

    @Test
    void adviceInTheWrongOrderIsRefused() {
        assertThatExceptionOfType(BeanCreationException.class)
                .isThrownBy(() -> service(Service.class, TransactionsOutside.class))
                .withMessageContaining("begins the transaction before the lock is acquired");
    }

    @Test
    void resultWhoseWorkGoesOnIsRefusedAndItsTransactionRolledBack() {
        Service service = service();
        for (Object later : List.of(new CompletableFuture<>(), Mono.empty(), Stream.of(1))) {
            List<Supplier<Object>> calls =
                    List.of(() -> service.open(() -> later), () -> inTransaction(() -> service.open(() -> later)));
            for (Supplier<Object> call : calls) {
                locks.log.clear();
                assertThatIllegalStateException()
                        .isThrownBy(call::get)
                        .withMessageContaining("but its lock ends with the transaction, before that completes");
                assertThat(locks.log).contains("lock a").endsWith("rollback").doesNotContain("commit");
            }
        }
        assertThat(service.open(() -> "ran")).isEqualTo("ran");
    }

    @Test
    void wovenMethodWhoseWorkGoesOnIsRefusedAndItsTransactionRolledBack() throws Exception {
        Service service = new Service();
        Method method = Service.class.getMethod("open", Supplier.class);
        Supplier<Object> body = CompletableFuture::new;
        List<WovenLocks> ofOthers =
                List.copyOf(WovenLocks.RUNNING); // which Spring's test framework keeps for other tests
        WovenLocks.RUNNING.removeAll(ofOthers);
        try {
            service();
            assertThatIllegalStateException()
                    .isThrownBy(() -> new TransactionTemplate(transactions)
                            .executeWithoutResult(status -> aroundWoven(service, method, body)))
                    .withMessageContaining("but its lock ends with the transaction, before that completes");
        } finally {
            WovenLocks.RUNNING.addAll(ofOthers);
        }
        assertThat(locks.log).contains("lock a").endsWith("rollback").doesNotContain("commit");
    }

    private static void aroundWoven(Service service, Method method, Supplier<Object> body) {
        try {
            Object unused = WovenLocks.around(service, method, new Object[] {body}, body::get);
        } catch (RuntimeException refusal) {
            throw refusal;
        } catch (Throwable unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    /** A caller that catches the refusal in a transaction around it cannot commit either. */
    @Test
    void resultWhoseWorkGoesOnRollsTheTransactionAroundItBack() {
        Service service = service();
        inTransaction(() -> {
            assertThatIllegalStateException().isThrownBy(() -> service.open(CompletableFuture::new));
            return "caught";
        });
        assertThat(locks.log).containsSubsequence("lock a", "rollback only");
    }

    @Test
    void busyKeyRollsTheEmptyTransactionBackBeforeItIsAnswered() {
        Service service = service();
        locks.then(Outcome.BUSY);
        assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> service.required(this::run));
        locks.then(Outcome.BUSY);
        assertThat(service.skips(this::run)).isNull();
        locks.then(Outcome.BUSY);
        assertThat(service.hasFallback(this::run)).isEqualTo("instead");
        assertThat(locks.log)
                .containsExactly(
                        "create a",
                        "begin",
                        "lock a",
                        "rollback",
                        "create a",
                        "begin",
                        "lock a",
                        "rollback",
                        "create a",
                        "begin",
                        "lock a",
                        "rollback");
    }

    @Test
    void busyLockOfTheBodyIsNoAnswerToTheLockAroundIt() {
        Service service = service();
        LockNotAcquiredException inner = LockNotAcquiredException.inTransaction("b", Duration.ZERO, "test");
        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() -> service.skips(() -> {
                    throw inner;
                }))
                .isSameAs(inner);
    }

    @Test
    void missingRowIsCreatedBetweenTwoTransactionsAndTheBodyRunsOnce() {
        locks.then(Outcome.NO_ROW, Outcome.NO_ROW);
        assertThat(service().required(this::run)).isEqualTo("ran");
        assertThat(locks.log)
                .containsExactly(
                        "create a",
                        "begin",
                        "lock a",
                        "rollback",
                        "create a",
                        "begin",
                        "lock a",
                        "rollback",
                        "create a",
                        "begin",
                        "lock a",
                        "body",
                        "commit");
    }

    @Test
    void rowThatIsMissingAgainAndAgainIsAnErrorAndTheBodyDoesNotRun() {
        locks.then(Outcome.NO_ROW, Outcome.NO_ROW, Outcome.NO_ROW);
        Service service = service();
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> service.required(this::run))
                .withMessageContaining("was removed meanwhile");
        assertThat(locks.log).doesNotContain("body");
    }

    // ---- the start

    static class Later {
        @DistributedLock(name = "a", strategy = "transaction")
        @Transactional
        public CompletableFuture<String> run() {
            return new CompletableFuture<>();
        }
    }

    static class Reactive {
        @DistributedLock(name = "a", strategy = "transaction")
        public Mono<String> run() {
            return Mono.empty();
        }
    }

    static class Never {
        @DistributedLock(name = "a", strategy = "transaction")
        @Transactional(propagation = Propagation.NEVER)
        public void run() {}
    }

    @Test
    void whatCannotBeStopsTheStart() {
        assertRefused(Later.class, "it returns java.util.concurrent.CompletableFuture, but its lock ends");
        assertRefused(Reactive.class, "it returns reactor.core.publisher.Mono, but its lock ends");
        assertRefused(Never.class, "it runs without a transaction (propagation NEVER or NOT_SUPPORTED)");
    }

    private void assertRefused(Class<?> service, String why) {
        assertThatExceptionOfType(InvalidLockAnnotationException.class)
                .isThrownBy(() -> service(service))
                .withMessageContaining(why);
    }

    static class OwnTransaction {
        @DistributedLock(key = "#p0")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public String run(String key) {
            return key;
        }
    }

    @Test
    void reservedKeyIsRefusedToAMethodWithATransactionOfItsOwn() {
        OwnTransaction service = service(OwnTransaction.class);
        assertThat(inTransaction(() -> service.run("a"))).isEqualTo("a");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> inTransaction(() -> service.run("leader:a")))
                .withMessageContaining("reserved");
    }

    /** A bean factory looks through all its definitions each time it is asked, and calls of all threads would wait for it. */
    @Test
    void attributesOfTransactionsAreResolvedOnce() throws NoSuchMethodException {
        AtomicInteger asked = new AtomicInteger();
        StaticListableBeanFactory beans = new StaticListableBeanFactory() {
            @Override
            public <T> ObjectProvider<T> getBeanProvider(Class<T> type) {
                asked.incrementAndGet();
                return super.getBeanProvider(type);
            }
        };
        beans.addBean("attributes", new AnnotationTransactionAttributeSource());
        TransactionLockAdvice guard = new TransactionLockAdvice(beans);
        Method method = Runnable.class.getMethod("run");
        LockRequest request = LockRequest.exclusive("a").withStrategy("transaction");
        GuardedMethod guarded = new GuardedMethod(
                Runnable.class,
                method,
                true,
                GuardedMethod.Kind.TRANSACTION,
                "a",
                null,
                request,
                OnBusy.THROW,
                null,
                false);
        assertThat(asked).hasValue(0);
        assertThatNoException().isThrownBy(() -> guard.check(guarded, AdviceMode.PROXY));
        assertThatNoException().isThrownBy(() -> guard.check(guarded, AdviceMode.PROXY));
        assertThat(asked).hasValue(1);
    }
}
