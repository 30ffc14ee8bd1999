package io.rowlock.client.transaction;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.OnLost;
import io.rowlock.client.PromptListener;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.lock.InFlightThreads;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.client.observe.Observers;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.LockLog;
import io.rowlock.store.TransactionLocks.Outcome;
import io.rowlock.store.memory.InMemoryLockStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What the client decides of locks that are part of a transaction, without a database. */
class TransactionLockTests {
    private final ScriptedTransactionLocks locks = new ScriptedTransactionLocks();
    private final LoggedTransactions transactions = new LoggedTransactions(locks.log);
    private final RowlockClient client = RowlockClient.builder(new InMemoryLockStore())
            .waitTime(ZERO)
            .keyPrefix("p")
            .transactionLocks(locks)
            .build();

    @AfterEach
    void close() {
        client.close();
    }

    private static LockRequest exclusive(String... keys) {
        return LockRequest.exclusive(keys).withStrategy("transaction");
    }

    private static LockRequest shared(String key) {
        return LockRequest.shared(key).withStrategy("transaction");
    }

    private <T> T inTransaction(Supplier<T> body) {
        return new TransactionTemplate(transactions).execute(status -> body.get());
    }

    private <T> T inTransactionOfItsOwn(Supplier<T> body) {
        TransactionTemplate template = new TransactionTemplate(transactions);
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        return template.execute(status -> body.get());
    }

    // ---- in an open transaction

    @Test
    void lockLastsUntilTheTransactionHasCompleted() {
        HeldLock kept = inTransaction(() -> {
            HeldLock lock = client.acquire(exclusive("a"));
            lock.close();
            assertThat(lock.isHeld()).isTrue();
            return lock;
        });
        assertThat(kept.isHeld()).isFalse();
        assertThat(kept.isLost()).isFalse();
        assertThat(kept.remaining()).isZero();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> kept.ensureHeld(ZERO))
                .withMessageContaining("its transaction has completed");
        assertThat(locks.log).containsExactly("begin", "lock p\u001fa", "commit");
    }

    @Test
    void promptListenerIsNotifiedOnTheThreadOfTheTransaction() {
        Thread thread = Thread.currentThread();
        PromptListener listener = new PromptListener(
                event -> locks.log.add(event.type() + (Thread.currentThread() == thread ? "" : " on another thread")));
        try (RowlockClient observed = RowlockClient.builder(new InMemoryLockStore())
                .transactionLocks(locks)
                .listeners(List.of(listener))
                .build()) {
            inTransaction(() -> {
                observed.acquire(exclusive("a"));
                return locks.log.add("body");
            });
        }
        assertThat(locks.log).containsExactly("begin", "lock a", "ACQUIRED", "body", "commit", "RELEASED");
    }

    @Test
    void keysAreLockedInOrderAndOnlyOnce() {
        inTransaction(() -> {
            client.acquire(exclusive("c", "a"));
            client.acquire(shared("a"));
            return client.acquire(exclusive("b", "c"));
        });
        assertThat(locks.log).containsExactly("begin", "lock p\u001fa", "lock p\u001fc", "lock p\u001fb", "commit");
    }

    @Test
    void sharedLockIsNotMadeExclusive() {
        inTransaction(() -> {
            client.acquire(shared("a"));
            assertThatIllegalStateException()
                    .isThrownBy(() -> client.acquire(exclusive("a")))
                    .withMessageContaining("ask for it exclusive first");
            return null;
        });
    }

    @Test
    void noTransactionOrAnotherDatabasesTransactionIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> client.acquire(exclusive("a")))
                .withMessageContaining("no transaction is open");
        locks.reachable = false;
        assertThatIllegalStateException()
                .isThrownBy(() -> inTransaction(() -> client.acquire(exclusive("a"))))
                .withMessageContaining("does not run on the database of the lock tables");
        assertThat(locks.log).containsExactly("begin", "rollback");
    }

    @Test
    void openTransactionThatMayReadOldDataIsRefused() {
        locks.readsCommitted = false;
        assertThatIllegalStateException()
                .isThrownBy(() -> inTransaction(() -> client.acquire(exclusive("a"))))
                .withMessageContaining("REPEATABLE READ");
        assertThat(locks.log).containsExactly("begin", "rollback");
    }

    @Test
    void missingRowIsCreatedAndLookedForAgain() {
        locks.then(Outcome.NO_ROW, Outcome.NO_ROW);
        inTransaction(() -> client.acquire(exclusive("a")));
        assertThat(locks.log)
                .containsExactly(
                        "begin",
                        "lock p\u001fa",
                        "create p\u001fa",
                        "lock p\u001fa",
                        "create p\u001fa",
                        "lock p\u001fa",
                        "commit");
    }

    @Test
    void rowThatVanishesAgainAndAgainIsAnErrorThatSaysToTryAgain() {
        locks.then(Outcome.NO_ROW, Outcome.NO_ROW, Outcome.NO_ROW);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> inTransaction(() -> client.acquire(exclusive("a"))))
                .withMessageContaining("was removed meanwhile; run the transaction again");
    }

    @Test
    void busyKeyLeavesTheTransactionAsItWas() {
        locks.then(Outcome.BUSY);
        Optional<HeldLock> lock = inTransaction(() -> client.tryAcquire(exclusive("a")));
        assertThat(lock).isEmpty();
        assertThat(locks.log).containsExactly("begin", "lock p\u001fa", "commit");
    }

    /** Though the program catches the exception: what it did before is undone, so what it does after must not be committed. */
    @Test
    void transactionThatTheServerRolledBackCannotCommit() {
        locks.then(Outcome.ROLLED_BACK);
        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() -> inTransaction(() -> client.tryAcquire(exclusive("a"))))
                .withMessageContaining("rolled the transaction back");
        assertThat(locks.log).containsExactly("begin", "lock p\u001fa", "rollback");
    }

    @Test
    void rollbackToASavepointEndsTheLocksThatAreYounger() {
        inTransaction(() -> {
            HeldLock older = client.acquire(exclusive("a"));
            Object savepoint = new Object();
            synchronizations().forEach(each -> each.savepoint(savepoint));
            HeldLock younger = client.acquire(exclusive("a", "b"));
            synchronizations().forEach(each -> each.savepointRollback(savepoint));
            assertThat(older.isHeld()).isTrue();
            assertThat(younger.isHeld()).isFalse();
            assertThat(younger.parts()).extracting(HeldLock::isHeld).containsExactly(true, false);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> younger.ensureHeld(ZERO))
                    .withMessageContaining("rolled back to before it");
            client.acquire(exclusive("b"));
            assertThat(younger.isHeld()).isTrue();
            synchronizations().forEach(each -> each.savepointRollback(new Object())); // older than all of them
            assertThat(older.isHeld()).isFalse();
            return null;
        });
        assertThat(locks.log).containsExactly("begin", "lock p\u001fa", "lock p\u001fb", "lock p\u001fb", "commit");
    }

    private static List<TransactionSynchronization> synchronizations() {
        return TransactionSynchronizationManager.getSynchronizations();
    }

    @Test
    void keyOfASuspendedTransactionIsRefusedAtOnce() {
        inTransaction(() -> {
            client.acquire(exclusive("a"));
            assertThatIllegalStateException()
                    .isThrownBy(() -> inTransactionOfItsOwn(() -> client.acquire(shared("a"))))
                    .withMessageContaining("outer transaction");
            assertThatIllegalStateException().isThrownBy(() -> client.prepare(exclusive("a")));
            return inTransactionOfItsOwn(() -> client.acquire(exclusive("b")));
        });
        HeldLock after = inTransaction(() -> client.acquire(exclusive("a")));
        assertThat(after.isHeld()).isFalse();
    }

    @Test
    void readersOfTwoTransactionsOfAThreadShareAKey() {
        inTransaction(() -> {
            client.acquire(shared("a"));
            return inTransactionOfItsOwn(() -> client.acquire(shared("a")));
        });
        assertThat(locks.log).containsSubsequence("share p\u001fa", "begin", "share p\u001fa");
    }

    @Test
    void handleIsWhatTheTransactionMakesIt() {
        inTransaction(() -> {
            HeldLock lock = client.acquire(exclusive("a", "b"));
            assertThat(lock.remaining()).isGreaterThan(ofDays(1));
            lock.ensureHeld(ofDays(1));
            assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::fencingToken);
            assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> lock.extend(ofSeconds(60)));
            assertThat(lock.parts()).extracting(HeldLock::key).containsExactly("a", "b");
            return null;
        });
    }

    private enum Unfit {
        TTL,
        RENEWAL,
        HOLD_AT_LEAST,
        ON_LOST;

        LockRequest request() {
            return switch (this) {
                case TTL -> exclusive("a").withTtl(ofSeconds(30));
                case RENEWAL -> exclusive("a").withRenewal(true);
                case HOLD_AT_LEAST -> exclusive("a").withHoldAtLeast(ofSeconds(1));
                case ON_LOST -> exclusive("a").withOnLost(OnLost.INTERRUPT);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatOnlyALeaseHasIsRefused(Unfit unfit) {
        assertThatIllegalArgumentException().isThrownBy(() -> client.validate(unfit.request()));
        assertThatIllegalArgumentException().isThrownBy(() -> inTransaction(() -> client.acquire(unfit.request())));
    }

    // ---- before the transaction begins

    @Test
    void preparedLockIsTheFirstOfItsTransactionWhateverThatReads() {
        locks.readsCommitted = false;
        try (PreparedLock prepared = client.prepare(exclusive("b", "a"))) {
            assertThat(locks.log).containsExactly("create p\u001fa", "create p\u001fb");
            HeldLock lock = inTransaction(prepared::acquire);
            assertThat(lock.isHeld()).isFalse();
        }
        assertThat(locks.log)
                .containsExactly(
                        "create p\u001fa", "create p\u001fb", "begin", "lock p\u001fa", "lock p\u001fb", "commit");
    }

    @Test
    void preparedLockWithoutARowIsToBeRepeated() {
        locks.then(Outcome.NO_ROW);
        try (PreparedLock prepared = client.prepare(exclusive("a"))) {
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(() -> inTransaction(prepared::acquire))
                    .satisfies(thrown -> {
                        assertThat(prepared.isToBeRepeated(thrown)).isTrue();
                        assertThat(prepared.isRefusal(thrown)).isFalse();
                    });
        }
        assertThat(locks.log).containsExactly("create p\u001fa", "begin", "lock p\u001fa", "rollback");
    }

    @Test
    void busyPreparedLockIsARefusalOfItsOwn() {
        locks.then(Outcome.BUSY);
        try (PreparedLock prepared = client.prepare(exclusive("a"))) {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> inTransaction(prepared::acquire))
                    .satisfies(thrown -> {
                        assertThat(prepared.isRefusal(thrown)).isTrue();
                        assertThat(prepared.isRefusal(new LockNotAcquiredException("a", ZERO, null)))
                                .as("that of a lock the body asked for")
                                .isFalse();
                        assertThat(prepared.isToBeRepeated(thrown)).isFalse();
                    });
        }
    }

    @Test
    void turnLastsAsLongAsTheTransaction() {
        try (PreparedLock prepared = client.prepare(exclusive("a"))) {
            inTransaction(() -> {
                prepared.acquire();
                prepared.close();
                assertThat(isFreeForAnotherThread("a")).isFalse();
                return null;
            });
            assertThat(isFreeForAnotherThread("a")).isTrue();
        }
    }

    @Test
    void turnOfAReaderEndsWithItsLock() {
        try (PreparedLock prepared = client.prepare(shared("a"))) {
            assertThat(isFreeForAnotherThread("a")).isFalse();
            inTransaction(() -> {
                prepared.acquire();
                assertThat(isFreeForAnotherThread("a")).isTrue();
                return null;
            });
        }
    }

    @Test
    void turnsOfATransactionThatDidNotBeginEnd() {
        client.prepare(exclusive("a", "b")).close();
        assertThat(isFreeForAnotherThread("a")).isTrue();
        assertThat(isFreeForAnotherThread("b")).isTrue();
    }

    private boolean isFreeForAnotherThread(String key) {
        return CompletableFuture.supplyAsync(() -> {
                    try (PreparedLock unused = client.prepare(exclusive(key))) {
                        return true;
                    } catch (LockNotAcquiredException e) {
                        return false;
                    }
                })
                .join();
    }

    /** The program's own appender, or filter: it is asked as the first event is dropped. */
    @Test
    void turnEndsThoughTheLoggerThrows() {
        Observers observers =
                new Observers(Ticker.SYSTEM, LockLog.NONE, LockInstrumentation.NONE, List.of(event -> {}));
        TransactionLockAcquirer acquirer = new TransactionLockAcquirer(
                locks,
                new RequestResolver(List.of(new InMemoryLockStore()), client.settings()),
                new InFlightThreads(),
                observers);
        AtomicInteger asked = new AtomicInteger();
        Logger logger = (Logger) LoggerFactory.getLogger(Observers.class);
        ListAppender<ILoggingEvent> full = new ListAppender<>() {
            @Override
            public synchronized void doAppend(ILoggingEvent event) {
                asked.incrementAndGet();
                throw new IllegalStateException("the disk is full");
            }
        };
        logger.addAppender(full);
        try (PreparedLock prepared = acquirer.prepare(exclusive("a"), ZERO)) {
            inTransaction(() -> {
                HeldLock lock = prepared.acquire();
                observers.close();
                return lock;
            });
        } finally {
            logger.detachAppender(full);
        }
        assertThat(asked).hasPositiveValue();
        assertThat(acquirer.queues.byKey).isEmpty();
    }
}
