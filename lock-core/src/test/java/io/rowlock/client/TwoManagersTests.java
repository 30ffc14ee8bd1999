package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.client.lock.DetachableLock;
import io.rowlock.client.transaction.BoundTransactions;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.memory.InMemoryLockStore;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction of one manager inside that of another, whose connection stays bound: the work under a lock may be done on either. */
class TwoManagersTests {
    private static final LockRequest KEY = LockRequest.exclusive("a");

    private final InMemoryLockStore store = new InMemoryLockStore();
    private final RowlockClient client = RowlockClient.builder(store).build();
    private final RowlockClient rival = RowlockClient.builder(store).build();
    private final BoundTransactions outer = new BoundTransactions();
    private final BoundTransactions inner = new BoundTransactions();

    @BeforeEach
    void guard() {
        CommitCheck check = store.commitCheck(null).orElseThrow();
        client.requireGuardedTransactions(any -> true);
        outer.addListener(new TransactionFence(client, Map.of(store.strategy(), check)));
        inner.addListener(new TransactionFence(client, Map.of()));
    }

    @AfterEach
    void close() {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(client.use().threads()).isZero();
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
                                    KEY, TransactionSynchronizationManager.getResource(inner))
                            .close());
            assertThat(isFree()).isFalse();
        });
        assertThat(isFree()).isTrue();
    }

    @Test
    void lockForATransactionOfItsOwnIsNotKeptByTheOneItLeaves() {
        Object[] left = new Object[1];
        new TransactionTemplate(outer).executeWithoutResult(around -> {
            left[0] = TransactionSynchronizationManager.getResource(outer);
            client.acquireForOwnTransaction(KEY, left[0]).close();
            assertThat(client.use().threads()).isZero();
        });
        new TransactionTemplate(inner)
                .executeWithoutResult(around -> new TransactionTemplate(outer).executeWithoutResult(status -> {
                    client.acquireForOwnTransaction(KEY, TransactionSynchronizationManager.getResource(inner))
                            .close();
                    assertThat(client.use().threads()).isOne(); // the outer manager's, which is the current one
                }));
        assertThat(isFree()).isTrue();
    }

    @Test
    void lockInOneThatDoesNotSynchronizeIsRefused() {
        BoundTransactions alone = new BoundTransactions();
        alone.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
        alone.addListener(new TransactionFence(client, Map.of()));
        assertThatIllegalStateException()
                .isThrownBy(() -> lockInside(alone, TransactionDefinition.PROPAGATION_REQUIRED))
                .withMessageContaining("SYNCHRONIZATION_NEVER");
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
