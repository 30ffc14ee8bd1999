package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.DetachableLock;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.lease.LeaseStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks and transactions: released after completion, and no commit without the lock. */
abstract class TransactionContract extends ClientContract {
    private Application application;

    @BeforeEach
    void startApplication() {
        application = newApplication(4);
    }

    // ---- release follows completion

    @Test
    void lockClosedInsideTheTransactionIsHeldUntilItHasCommitted() {
        application.inTransaction(() -> {
            node.take("a").close();
            application.deposit();
            assertThat(rival.canTake("a")).isFalse();
            afterCommit(() -> assertThat(rival.canTake("a")).isFalse());
        });
        assertThat(rival.canTake("a")).isTrue();
        assertThat(table.balance()).isEqualTo(1);
    }

    @Test
    void lockClosedInsideTheTransactionIsHeldUntilItHasRolledBack() {
        application.transaction().executeWithoutResult(status -> {
            node.take("a").close();
            application.deposit();
            status.setRollbackOnly();
            assertThat(rival.canTake("a")).isFalse();
        });
        assertThat(rival.canTake("a")).isTrue();
        assertThat(table.balance()).isZero();
    }

    @Test
    void lockTakenInsideAndClosedAfterwardsIsHeldUntilItIsClosed() {
        List<HeldLock> taken = new ArrayList<>();
        application.inTransaction(() -> taken.add(node.take("a")));
        assertThat(rival.canTake("a")).isFalse();
        taken.get(0).close();
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void lockTakenBeforeAndClosedInsideIsHeldUntilTheTransactionHasCompleted() {
        HeldLock lock = node.take("a");
        application.inTransaction(() -> {
            lock.close();
            assertThat(rival.canTake("a")).isFalse();
        });
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void lockOfAnInnerTransactionEndsWithItAndThatOfTheOuterOneDoesNot() {
        application.inTransaction(() -> {
            node.take("outer").close();
            application.requiresNew().executeWithoutResult(inner -> {
                node.take("inner").close();
                node.take("outer").close();
                assertThat(rival.canTake("inner")).isFalse();
            });
            assertThat(rival.canTake("inner")).isTrue();
            assertThat(rival.canTake("outer")).isFalse();
        });
        assertThat(rival.canTake("outer")).isTrue();
    }

    @Test
    void lockTakenUnderASavepointIsHeldUntilTheOuterTransactionHasCompleted() {
        application.inTransaction(() -> {
            application
                    .transaction(TransactionDefinition.PROPAGATION_NESTED)
                    .executeWithoutResult(nested -> node.take("a").close());
            assertThat(rival.canTake("a")).isFalse();
        });
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void lockAroundATransactionIsHeldWhenItBeginsAndReleasedAfterItsCommit() {
        List<String> seen = new ArrayList<>();
        application.transactions.addListener(new TransactionExecutionListener() {
            @Override
            public void beforeBegin(TransactionExecution transaction) {
                seen.add("begin, taken: " + !table.isFree("a"));
            }

            @Override
            public void afterCommit(TransactionExecution transaction, Throwable failure) {
                seen.add("committed, taken: " + !table.isFree("a"));
            }
        });
        node.client.execute(LockRequest.exclusive("a"), () -> application.inTransaction(application::deposit));
        assertThat(seen).containsExactly("begin, taken: true", "committed, taken: true");
        assertThat(table.isFree("a")).isTrue();
    }

    @Test
    void rollbackCausedByTheBodyHidesNothingThoughTheReleaseFails() {
        RuntimeException own = new IllegalStateException("own");
        try {
            assertThatThrownBy(() -> node.client.execute(LockRequest.exclusive("a"), () -> {
                        table.hide();
                        throw own;
                    }))
                    .isSameAs(own)
                    .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1));
        } finally {
            table.unhide();
        }
    }

    // ---- no commit without the lock

    private void refused(Consumer<HeldLock> beforeCommit) {
        HeldLock lock = node.take("a");
        assertThatThrownBy(() -> application.inTransaction(() -> {
                    application.deposit();
                    beforeCommit.accept(lock);
                }))
                .isInstanceOfSatisfying(LockLostException.class, lost -> {
                    assertThat(lost.key()).isEqualTo("a");
                    assertThat(lost.fencingToken()).isEqualTo(lock.fencingToken());
                });
        assertThat(table.balance()).isZero();
        lock.close();
    }

    @Test
    void heldLockLetsTheCommitPass() {
        try (HeldLock lock = node.take("a", "b")) {
            application.inTransaction(application::deposit);
            assertThat(lock.isHeld()).isTrue();
        }
        assertThat(table.balance()).isEqualTo(1);
    }

    @Test
    void lockTakenOverRefusesTheCommit() {
        refused(lock -> {
            table.age("a");
            HeldLock other = rival.take("a");
            assertThat(other.fencingToken()).isGreaterThan(lock.fencingToken());
        });
        assertThat(rival.count(LockEvent.Type.ACQUIRED, "a")).isEqualTo(1);
    }

    @Test
    void lockThatRanOutRefusesTheCommitThoughItIsStillFree() {
        refused(lock -> table.age("a"));
    }

    @Test
    void lockReleasedByForceRefusesTheCommit() {
        refused(lock -> table.forceRelease("a"));
        await().until(() -> node.count(LockEvent.Type.LOST, "a") == 1);
    }

    @Test
    void lockPastItsLocalDeadlineRefusesTheCommitThoughTheDatabaseStillHasIt() {
        refused(lock -> {
            node.store.renewing = (leases, real) -> {
                throw new io.rowlock.LockStoreException("off", null);
            };
            node.pause(ofSeconds(31));
        });
    }

    @Test
    void lostLockRefusesTheOuterCommitThoughItWasClosedBefore() {
        refused(lock -> {
            lock.close();
            table.age("a");
        });
    }

    @Test
    void readersLostLockRefusesTheCommit() {
        HeldLock reader = node.read("a");
        assertThatThrownBy(() -> application.inTransaction(() -> {
                    application.deposit();
                    table.age("a");
                    assertThat(rival.canTake("a")).isTrue();
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(table.balance()).isZero();
        reader.close();
    }

    @Test
    void closingTheClientRefusesTheCommitThatReliedOnIt() {
        refused(lock -> node.client.close());
    }

    @Test
    void closingTheClientRefusesTheCommitThoughTheStrategyHasNoFence() {
        TransactionTemplate unfenced =
                new TransactionTemplate(new org.springframework.jdbc.support.JdbcTransactionManager(application.pool));
        ((org.springframework.transaction.ConfigurableTransactionManager) unfenced.getTransactionManager())
                .addListener(Fences.of(node.client, java.util.Map.of()));
        HeldLock lock = node.take("a");
        assertThatThrownBy(() -> unfenced.executeWithoutResult(status -> {
                    application.deposit();
                    node.client.close();
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(table.balance()).isZero();
        lock.close();
    }

    @Test
    void detachedLockGuardsNoCommitOfItsFormerThread() {
        HeldLock lock = node.take("a");
        ((DetachableLock) lock).detach();
        application.inTransaction(() -> {
            application.deposit();
            table.age("a");
        });
        assertThat(table.balance()).isEqualTo(1);
        lock.close();
    }

    @Test
    void lockGuardsTheCommitsOfItsThreadThoughANestedOneIsDetached() {
        HeldLock outer = node.take("a");
        HeldLock nested = node.take("a");
        ((DetachableLock) nested).detach();
        assertThatThrownBy(() -> application.inTransaction(() -> {
                    application.deposit();
                    table.age("a");
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(table.balance()).isZero();
        nested.close();
        outer.close();
    }

    @Test
    void lockThatWasClosedInATransactionGuardsItsCommitThoughANestedOneIsDetached() {
        HeldLock outer = node.take("a");
        HeldLock nested = node.take("a");
        ((DetachableLock) nested).detach();
        assertThatThrownBy(() -> application.inTransaction(() -> {
                    application.deposit();
                    outer.close();
                    table.age("a");
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(table.balance()).isZero();
        nested.close();
    }

    @Test
    void readOnlyTransactionIsNotChecked() {
        HeldLock lock = node.take("a");
        table.age("a");
        TransactionTemplate readOnly = application.transaction();
        readOnly.setReadOnly(true);
        readOnly.executeWithoutResult(status -> application.sql.queryForList("SELECT * FROM account"));
        lock.close();
    }

    @Test
    void everyManagersCommitIsRefused() {
        Application second = newApplication(2);
        HeldLock lock = node.take("a");
        assertThatThrownBy(() -> application.inTransaction(() -> second.inTransaction(() -> {
                    second.deposit();
                    table.age("a");
                })))
                .isInstanceOf(LockLostException.class);
        assertThat(table.balance()).isZero();
        lock.close();
    }

    // ---- from the check to the completion

    /** The lock is not granted between the check and the end of the commit, and other renewals go on meanwhile. */
    @Test
    void checkedLockCannotBeTakenOverBeforeTheCommit() throws Exception {
        CountDownLatch checked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        application.transactions.addListener(new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                checked.countDown();
                awaitUninterruptibly(go);
            }
        });
        HeldLock other = node.client.acquire(LockRequest.exclusive("other").withTtl(ofSeconds(9)));
        Other<HeldLock> committing = Other.does(() -> {
            HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withTtl(ofSeconds(60)));
            application.inTransaction(application::deposit);
            return lock;
        });
        checked.await();
        assertThat(rival.canTake("a")).isFalse();
        Other<Boolean> force = Other.does(() -> {
            table.forceRelease("a");
            return true;
        });
        int before = node.store.renewals.get();
        await().until(() -> node.store.renewals.get() >= before + 3);
        assertThat(other.isHeld()).isTrue();
        assertThat(force.isDone()).isFalse();
        go.countDown();
        HeldLock lock = committing.get();
        assertThat(table.balance()).isEqualTo(1);
        assertThat(force.get()).isTrue();
        other.close();
        lock.close();
    }

    @Test
    void leaseIsRenewedAgainAfterTheCommit() {
        HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withTtl(ofSeconds(6)));
        application.inTransaction(application::deposit);
        int before = node.store.renewals.get();
        await().until(() -> node.store.renewals.get() > before + 1);
        assertThat(lock.isHeld()).isTrue();
        lock.close();
    }

    /** Spring notifies listeners of the ends of savepoints as of those of transactions. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leaseIsRenewedAgainAfterTheCommitOfATransactionThatHadASavepoint(boolean rolledBack) {
        HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withTtl(ofSeconds(6)));
        application.inTransaction(() -> {
            application.deposit();
            application.transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                if (rolledBack) {
                    nested.setRollbackOnly();
                }
            });
        });
        int before = node.store.renewals.get();
        await().until(() -> node.store.renewals.get() > before + 1);
        assertThat(lock.isHeld()).isTrue();
        lock.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leaseIsRenewedAgainThoughAnotherListenerRefusesTheCommit(boolean transactionException) {
        application.transactions.addListener(new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                throw transactionException
                        ? new TransactionSystemException("refused")
                        : new IllegalStateException("refused");
            }
        });
        HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withTtl(ofSeconds(6)));
        assertThatThrownBy(() -> application.inTransaction(application::deposit))
                .hasMessage("refused");
        int before = node.store.renewals.get();
        await().until(() -> node.store.renewals.get() > before);
        assertThat(lock.isHeld()).isTrue();
        lock.close();
    }

    @Test
    void leaseIsRenewedAgainThoughTheCommitFails() {
        HeldLock lock = node.client.acquire(LockRequest.exclusive("a").withTtl(ofSeconds(6)));
        application.transactions.addListener(new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                kill(application.sql.queryForObject("SELECT CONNECTION_ID()", Long.class));
            }
        });
        assertThatThrownBy(() -> application.inTransaction(application::deposit))
                .isNotNull();
        int before = node.store.renewals.get();
        await().until(() -> node.store.renewals.get() > before);
        assertThat(lock.isHeld()).isTrue();
        lock.close();
    }

    /** Its commit may come later than that, over what the next thread of the process would read at once. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leaseIsHandedOnUnlessACommitUnderItHasNoAnswer(boolean answered) throws Exception {
        application.transactions.addListener(new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                if (!answered) {
                    kill(application.sql.queryForObject("SELECT CONNECTION_ID()", Long.class));
                }
            }
        });
        HeldLock lock = node.take("a");
        Other<HeldLock> next = Other.does(() -> node.client.acquire(LockRequest.exclusive("a")));
        await().until(() -> node.client.admin().waiting("a") == 1);
        try {
            application.inTransaction(application::deposit);
        } catch (RuntimeException e) {
            assertThat(answered).isFalse();
        }
        lock.close();
        HeldLock after = next.get();
        assertThat(after.fencingToken() - lock.fencingToken() < Lease.TOKENS).isEqualTo(answered);
        after.close();
    }

    private void kill(Long connection) {
        table.sql.execute("KILL " + connection);
    }

    /** What a thread commits that relies on the lock, the next holder has to read. */
    @Test
    void nextThreadOfTheProcessWaitsForTheCommitOfAThreadThatReliesOnTheLock() throws Exception {
        DetachableLock lock = (DetachableLock) node.take("a");
        lock.detach();
        Other<HeldLock> next = Other.does(() -> node.take("a"));
        await().until(() -> node.client.admin().waiting("a") == 1);
        List<Other<Boolean>> closing = new ArrayList<>();
        withinTheNextCommit(() -> {
            closing.add(Other.does(() -> {
                lock.close();
                return true;
            }));
            await().during(ofMillis(300)).until(() -> !next.isDone());
        });
        Other<Boolean> relying = Other.does(() -> {
            try (CommitGuard guard = lock.rely()) {
                application.inTransaction(application::deposit);
                return guard != null;
            }
        });
        assertThat(relying.get()).isTrue();
        try (HeldLock held = next.get()) {
            assertThat(held.isHeld()).isTrue();
            assertThat(table.balance()).isEqualTo(1);
        }
        assertThat(closing.get(0).get()).isTrue();
    }

    /** The check waits for the row of the first lock, and comes to the second one later. */
    @Test
    void lockThatIsClosedWhileTheCommitChecksAnotherIsHandedOnAfterTheCommit() throws Exception {
        DetachableLock first = (DetachableLock) node.take("a");
        DetachableLock second = (DetachableLock) node.take("b");
        first.detach();
        second.detach();
        Other<HeldLock> next = Other.does(() -> node.take("b"));
        await().until(() -> node.client.admin().waiting("b") == 1);
        List<Other<Boolean>> relying = new ArrayList<>();
        Application blocking = newApplication(1);
        blocking.inTransaction(() -> {
            blocking.sql.queryForList("SELECT slot FROM rowlock_lock WHERE lock_key = 'a' FOR UPDATE");
            relying.add(Other.does(() -> {
                try (CommitGuard a = first.rely();
                        CommitGuard b = second.rely()) {
                    application.inTransaction(application::deposit);
                    return a != b;
                }
            }));
            await().during(ofMillis(300)).until(() -> !relying.get(0).isDone());
            second.close();
            await().during(ofMillis(300)).until(() -> !next.isDone());
        });
        assertThat(relying.get(0).get()).isTrue();
        try (HeldLock held = next.get()) {
            assertThat(held.isHeld()).isTrue();
            assertThat(table.balance()).isEqualTo(1);
        }
        first.close();
    }

    // ---- a transaction within the commit of another

    /** Runs {@code body} between the check of the next transaction and its commit. */
    private void withinTheNextCommit(Runnable body) {
        AtomicInteger commits = new AtomicInteger();
        application.transactions.addListener(new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                if (commits.getAndIncrement() == 0) {
                    body.run();
                }
            }
        });
    }

    private void depositInItsOwnTransaction() {
        application.requiresNew().executeWithoutResult(status -> application.deposit());
    }

    @Test
    void transactionWithinTheCommitOfAnotherNeedsNoRowLockOfItsOwn() {
        withinTheNextCommit(this::depositInItsOwnTransaction);
        try (HeldLock lock = node.take("a", "b")) {
            application.inTransaction(() -> {});
            assertThat(lock.isHeld()).isTrue();
        }
        assertThat(table.balance()).isEqualTo(1);
    }

    /** The waiting writer would keep a second reader of the row out, too. */
    @Test
    void readersTransactionWithinTheCommitOfAnotherNeedsNoRowLockOfItsOwn() throws Exception {
        List<Other<Boolean>> operators = new ArrayList<>();
        withinTheNextCommit(() -> {
            operators.add(Other.does(() -> {
                table.sql.update("UPDATE rowlock_lock SET owner = owner, expires_at = expires_at + INTERVAL 1 SECOND");
                return true;
            }));
            await().until(table::isRowWaitedFor);
            depositInItsOwnTransaction();
        });
        try (HeldLock lock = node.read("a")) {
            application.inTransaction(() -> {});
            assertThat(lock.isHeld()).isTrue();
        }
        assertThat(table.balance()).isEqualTo(1);
        assertThat(operators.get(0).get()).isTrue();
    }

    @Test
    void lockPastItsDeadlineRefusesTheTransactionWithinTheCommitOfAnother() {
        withinTheNextCommit(() -> {
            node.pause(ofSeconds(31));
            assertThatThrownBy(this::depositInItsOwnTransaction).isInstanceOf(LockLostException.class);
        });
        HeldLock lock = node.take("a");
        application.inTransaction(() -> {});
        assertThat(table.balance()).isZero();
        lock.close();
    }

    /** As in a listener that JPA calls within the commit, after it has committed on the connection. */
    @Test
    void transactionAfterTheCommitOfAnotherIsCheckedThoughThatOneLooksOpen() {
        withinTheNextCommit(() -> {
            application.sql.execute("COMMIT");
            table.forceRelease("a");
            assertThatThrownBy(this::depositInItsOwnTransaction).isInstanceOf(LockLostException.class);
        });
        HeldLock lock = node.take("a");
        application.inTransaction(() -> {});
        assertThat(table.balance()).isZero();
        lock.close();
    }

    @Test
    void transactionWithinTheCommitOfOneWhoseConnectionDiedIsRefused() {
        withinTheNextCommit(() -> {
            kill(application.sql.queryForObject("SELECT CONNECTION_ID()", Long.class));
            assertThatThrownBy(this::depositInItsOwnTransaction).isInstanceOf(LockStoreException.class);
        });
        HeldLock lock = node.take("a");
        assertThatThrownBy(() -> application.inTransaction(application::deposit))
                .isNotNull();
        assertThat(table.balance()).isZero();
        assertThat(lock.isHeld()).isTrue();
        lock.close();
    }

    @Test
    void transactionInTheAfterCommitOfAnotherIsCheckedOnItsOwn() {
        HeldLock lock = node.take("a");
        application.inTransaction(() -> afterCommit(() -> {
            depositInItsOwnTransaction();
            table.forceRelease("a");
            assertThatThrownBy(this::depositInItsOwnTransaction).isInstanceOf(LockLostException.class);
        }));
        assertThat(table.balance()).isEqualTo(1);
        lock.close();
    }

    // ---- the check takes its time

    @Test
    void lockPastItsDeadlineWhenTheDatabaseHasAnsweredRefusesTheCommit() {
        Application slow = Application.withoutFence(schema, node.client);
        slow.transactions.addListener(Fences.of(node.client, Map.of(LeaseStore.NAME, lease -> {
            node.pause(ofSeconds(31));
            return true;
        })));
        HeldLock lock = node.take("a");
        assertThatThrownBy(() -> slow.inTransaction(slow::deposit)).isInstanceOf(LockLostException.class);
        assertThat(table.balance()).isZero();
        lock.close();
        slow.close();
    }

    // ---- a lock without renewal that expired

    private HeldLock unrenewed() {
        return node.client.acquire(LockRequest.exclusive("a").withRenewal(false));
    }

    @Test
    void lockThatExpiredIsNotAcquiredAnewInAnInnerTransaction() {
        HeldLock lock = unrenewed();
        assertThatThrownBy(() -> application.inTransaction(() -> {
                    application.deposit();
                    node.pause(ofSeconds(31));
                    application.requiresNew().executeWithoutResult(status -> unrenewed());
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(table.balance()).isZero();
        lock.close();
    }

    @Test
    void lockThatItsTransactionKeepsIsNotAcquiredAnewOnceItExpired() {
        assertThatThrownBy(() -> application.inTransaction(() -> {
                    unrenewed().close();
                    application.deposit();
                    node.pause(ofSeconds(31));
                    unrenewed();
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(table.balance()).isZero();
    }

    @Test
    void lockThatExpiredRefusesEveryCommitOfItsThreadUntilItIsClosed() {
        HeldLock lock = unrenewed();
        node.pause(ofSeconds(31));
        assertThatThrownBy(() -> application.inTransaction(application::deposit))
                .isInstanceOf(LockLostException.class);
        lock.close();
        try (HeldLock anew = unrenewed()) {
            application.inTransaction(application::deposit);
            assertThat(anew.isHeld()).isTrue();
        }
        assertThat(table.balance()).isEqualTo(1);
    }

    // ---- a lock that outlives the call, for a future

    @Test
    void detachedLockGuardsTheTransactionThatIsOpenThen() {
        refused(lock -> {
            ((DetachableLock) lock).detach();
            table.age("a");
        });
        assertThat(node.use().threads()).isZero();
    }

    @Test
    void detachedLockThatIsClosedElsewhereIsHeldUntilTheOpenTransactionHasCompleted() throws Exception {
        HeldLock lock = node.take("a");
        application.inTransaction(() -> {
            application.deposit();
            ((DetachableLock) lock).detach();
            Other<Boolean> future = Other.does(() -> {
                lock.close();
                return true;
            });
            await().until(future::isDone);
            assertThat(rival.canTake("a")).isFalse();
        });
        assertThat(rival.canTake("a")).isTrue();
        assertThat(table.balance()).isEqualTo(1);
        assertThat(node.use().threads()).isZero();
    }

    // ---- pools

    @ParameterizedTest
    @ValueSource(ints = {4, 16})
    void threadsThatEachHoldATransactionGetTheirLocks(int threads) throws Exception {
        Application busy = newApplication(threads);
        AtomicInteger inside = new AtomicInteger();
        List<Other<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(Other.does(() -> {
                busy.inTransaction(() -> {
                    busy.sql.queryForList("SELECT 1");
                    inside.incrementAndGet();
                    await().until(() -> inside.get() == threads);
                    try (HeldLock lock =
                            node.client.acquire(LockRequest.exclusive("a").withWaitTime(ofSeconds(30)))) {
                        busy.deposit();
                    }
                });
                return true;
            }));
        }
        for (Other<Boolean> thread : all) {
            assertThat(thread.get()).isTrue();
        }
        assertThat(table.balance()).isEqualTo(threads);
    }

    private static void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
