package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.client.lock.DetachableLock;
import io.rowlock.client.lock.OpenTransactions;
import io.rowlock.client.lock.Use;
import io.rowlock.client.transaction.BoundTransactions;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction of one manager inside that of another, whose connection stays bound: the work under a lock may be done on either. */
class TwoManagersTests {
    private static final LockRequest KEY = LockRequest.exclusive("a");

    private final InMemoryLockStore store = new InMemoryLockStore();
    private final RowlockClient client = RowlockClient.builder(store).build();
    private final RowlockClient rival = RowlockClient.builder(store).build();
    private final CommitCheck check = store.commitCheck(null).orElseThrow();
    private final DataSource outside = dataSource();
    private final BoundTransactions outer =
            new BoundTransactions(outside).guardedBy(client, Map.of(store.strategy(), check));
    private final BoundTransactions inner = new BoundTransactions(dataSource()).guardedBy(client, Map.of());
    private final BoundTransactions unguarded = new BoundTransactions(dataSource());

    @BeforeEach
    void guard() {
        client.requireGuardedTransactions(any -> true);
    }

    private static DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                TwoManagersTests.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> "a DataSource";
                });
    }

    @AfterEach
    void close() {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(Use.of(client.locks()).threads()).isZero();
        client.close();
        rival.close();
    }

    private boolean isFree() {
        return rival.tryAcquire(KEY)
                .map(lock -> {
                    lock.close();
                    return true;
                })
                .orElse(false);
    }

    private void lockInside(BoundTransactions manager, int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        template.executeWithoutResult(status -> client.acquire(KEY).close());
    }

    @Test
    void lockIsKeptUntilTheOuterOneHasCompleted() {
        new TransactionTemplate(outer).executeWithoutResult(status -> {
            lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRED);
            assertThat(isFree()).isFalse();
        });
        assertThat(isFree()).isTrue();
    }

    @Test
    void commitOfTheOuterOneIsRefusedIfTheLockIsLost() {
        TransactionTemplate template = new TransactionTemplate(outer);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> template.executeWithoutResult(status -> {
                    lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRED);
                    store.expire("a");
                }));
    }

    /** SYNCHRONIZATION_NEVER, and no fence. */
    @Test
    void lockInsideOneThatDoesNotSynchronizeIsKept() {
        BoundTransactions alone = new BoundTransactions();
        alone.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
        new TransactionTemplate(outer).executeWithoutResult(status -> {
            lockInside(alone, TransactionDefinition.PROPAGATION_REQUIRED);
            assertThat(isFree()).isFalse();
        });
        assertThat(isFree()).isTrue();
    }

    /** As that of Neo4j. */
    @Test
    void lockInsideOneOfAManagerThatDoesNotTellWhatItBindsIsKept() {
        BoundTransactions silent = new BoundTransactions().guardedBy(client, Map.of(), null);
        new TransactionTemplate(silent).executeWithoutResult(status -> {
            lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRED);
            assertThat(isFree()).isFalse();
        });
        assertThat(isFree()).isTrue();
        new TransactionTemplate(silent).executeWithoutResult(status -> {
            lockInside(silent, TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            assertThat(isFree()).isTrue();
        });
    }

    /** Its connection is another one. */
    @Test
    void lockInsideOneOfTheSameManagerEndsWithThat() {
        new TransactionTemplate(outer).executeWithoutResult(status -> {
            lockInside(outer, TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            assertThat(isFree()).isTrue();
        });
    }

    @Test
    void lockInsideOneOfTheSameManagerEndsWithThatThoughSomethingElseStaysBound() {
        new TransactionTemplate(inner).executeWithoutResult(status -> {
            Object template = new Object(); // as RedisTemplate with setEnableTransactionSupport
            TransactionSynchronizationManager.bindResource(template, BoundTransactions.Bound.ofTransaction());
            try {
                lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRES_NEW);
                assertThat(isFree()).isTrue();
            } finally {
                TransactionSynchronizationManager.unbindResource(template);
            }
        });
    }

    /** As for a method with REQUIRES_NEW of the inner manager: it may work in the outer one, too. */
    @Test
    void lockForATransactionOfItsOwnIsKeptByTransactionsOfTwoManagers() {
        new TransactionTemplate(outer).executeWithoutResult(around -> {
            new TransactionTemplate(inner)
                    .executeWithoutResult(status -> client.acquireForOwnTransaction(
                                    KEY, TransactionSynchronizationManager.getResource(inner.getResourceFactory()))
                            .close());
            assertThat(isFree()).isFalse();
        });
        assertThat(isFree()).isTrue();
    }

    @Test
    void lockForATransactionOfItsOwnIsNotKeptByTheOneItLeaves() {
        Object[] left = new Object[1];
        new TransactionTemplate(outer).executeWithoutResult(around -> {
            left[0] = TransactionSynchronizationManager.getResource(outer.getResourceFactory());
            client.acquireForOwnTransaction(KEY, left[0]).close();
            assertThat(Use.of(client.locks()).threads()).isZero();
        });
        new TransactionTemplate(inner)
                .executeWithoutResult(around -> new TransactionTemplate(outer).executeWithoutResult(status -> {
                    client.acquireForOwnTransaction(
                                    KEY, TransactionSynchronizationManager.getResource(inner.getResourceFactory()))
                            .close();
                    assertThat(Use.of(client.locks()).threads())
                            .isOne(); // the outer manager's, which is the current one
                }));
        assertThat(isFree()).isTrue();
    }

    @Test
    void lockInOneThatDoesNotSynchronizeIsRefused() {
        BoundTransactions alone = new BoundTransactions();
        alone.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
        alone.guardedBy(client, Map.of());
        assertThatIllegalStateException()
                .isThrownBy(() -> lockInside(alone, TransactionDefinition.PROPAGATION_REQUIRED))
                .withMessageContaining("SYNCHRONIZATION_NEVER");
    }

    /** As those of a message broker: what it has bound is no data. */
    @Test
    void lockInOneThatDoesNotSynchronizeAndHasNoDataIsReleasedAtOnce() {
        BoundTransactions alone = new BoundTransactions();
        alone.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
        alone.guardedBy(client, Map.of(), OpenTransactions.NO_DATA);
        new TransactionTemplate(alone).executeWithoutResult(status -> {
            client.acquire(KEY).close();
            assertThat(isFree()).isTrue();
        });
    }

    @Test
    void lockInsideOneOfTheSameManagerEndsWithThatThoughAnUnguardedOneHasBoundSomething() {
        new TransactionTemplate(new BoundTransactions())
                .executeWithoutResult(around -> new TransactionTemplate(inner).executeWithoutResult(status -> {
                    lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRES_NEW);
                    assertThat(isFree()).isTrue();
                }));
    }

    private void inside(BoundTransactions manager, Runnable body) {
        new TransactionTemplate(manager).executeWithoutResult(status -> body.run());
    }

    private void assertRefused(Runnable body) {
        assertThatIllegalStateException()
                .isThrownBy(body::run)
                .withMessageContaining("rowlock.fencing.unguarded-managers");
        assertThat(Use.of(client.locks()).threads()).isZero();
    }

    /** Otherwise released when the inner one has committed, and the outer one commits unchecked. */
    @Test
    void lockInsideAnUnguardedOneIsRefused() {
        Runnable locked = () -> lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRED);
        inside(unguarded, () -> assertRefused(locked));
        inside(outer, () -> inside(unguarded, () -> assertRefused(locked)));
        inside(
                unguarded,
                () -> inside(
                        inner,
                        () -> assertRefused(() -> lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRES_NEW))));
        inside(
                unguarded,
                () -> inside(
                        inner,
                        () -> assertRefused(() -> client.acquireForOwnTransaction(
                                KEY, TransactionSynchronizationManager.getResource(inner.getResourceFactory())))));
    }

    /** The guarded one's connection is suspended, and the one that is bound is unguarded. */
    @Test
    void lockInsideAnUnguardedOneOnTheSameDataSourceIsRefused() {
        TransactionTemplate same = new TransactionTemplate(new BoundTransactions(outside));
        same.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        inside(
                outer,
                () -> same.executeWithoutResult(
                        status -> assertRefused(() -> lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRED))));
    }

    @Test
    void lockInsideAnUnguardedOneIsAcquiredIfThatIsExcepted() {
        client.requireGuardedTransactions(any -> any != unguarded.getResourceFactory());
        inside(unguarded, () -> lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRED));
        assertThat(isFree()).isTrue();
    }

    /** The guarded one keeps it, and its commit is checked. */
    @Test
    void lockInAnExceptedOneIsKeptByTheGuardedOneAround() {
        client.requireGuardedTransactions(any -> any != unguarded.getResourceFactory());
        inside(outer, () -> {
            lockInside(unguarded, TransactionDefinition.PROPAGATION_REQUIRED);
            assertThat(isFree()).isFalse();
        });
        assertThat(isFree()).isTrue();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> inside(outer, () -> {
                    lockInside(unguarded, TransactionDefinition.PROPAGATION_REQUIRED);
                    store.expire("a");
                }));
    }

    /** As a JdbcTemplate does in a transaction of another DataSource: each of its statements commits itself. */
    @Test
    void connectionThatTheBodyUsesIsNoTransaction() {
        inside(inner, () -> {
            TransactionSynchronizationManager.bindResource(outside, BoundTransactions.Bound.ofTransaction());
            try {
                client.acquire(KEY).close();
                lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRED);
            } finally {
                TransactionSynchronizationManager.unbindResource(outside);
            }
        });
        assertThat(isFree()).isTrue();
    }

    /** As in a @TransactionalEventListener: the connection of the one that is over is still bound. */
    @Test
    void lockInsideOneThatBeginsAfterACommitIsAcquired() {
        for (BoundTransactions over : new BoundTransactions[] {outer, unguarded}) {
            int[] acquired = new int[1];
            inside(
                    over,
                    () -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCompletion(int status) {
                            inside(inner, () -> {});
                            inside(inner, () -> {
                                lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRED);
                                lockInside(inner, TransactionDefinition.PROPAGATION_REQUIRES_NEW);
                                acquired[0]++;
                            });
                        }
                    }));
            assertThat(acquired[0]).isOne();
        }
    }

    private BoundTransactions askingAtBegin(String name, List<String> asked) {
        return new BoundTransactions().guardedBy(client, Map.of(store.strategy(), new CommitCheck() {
            @Override
            public boolean isHeld(Lease lease) {
                asked.add(name);
                return true;
            }

            @Override
            public Set<Trait> traits() {
                return Set.of(Trait.AT_BEGIN);
            }
        }));
    }

    /** Else nothing would keep a former holder from its commit, while the outer one goes on to read. */
    @Test
    void outerOneAsksWhatTheInnerOneAskedBeforeItWasRolledBack() {
        List<String> asked = new ArrayList<>();
        TransactionTemplate rolledBack = new TransactionTemplate(askingAtBegin("inner", asked));
        inside(askingAtBegin("outer", asked), () -> {
            rolledBack.executeWithoutResult(status -> {
                client.acquire(KEY).close();
                status.setRollbackOnly();
            });
            assertThat(asked).containsExactly("inner", "outer");
        });
    }

    /** The leader's work, for example, may be done in the outer one. */
    @Test
    void commitOfTheOuterOneIsRefusedIfALockIsLostThatTheInnerOneReliedOn() throws Exception {
        FutureTask<DetachableLock> acquired = new FutureTask<>(() -> (DetachableLock) client.acquire(KEY));
        new Thread(acquired, "holder").start();
        try (DetachableLock lock = acquired.get()) {
            TransactionTemplate template = new TransactionTemplate(outer);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> template.executeWithoutResult(around -> {
                        new TransactionTemplate(inner)
                                .executeWithoutResult(status -> lock.rely().close());
                        store.expire("a");
                    }));
        }
    }
}
