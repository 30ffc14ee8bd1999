package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.OnLost;
import io.rowlock.client.lock.DetachableLock;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.client.lock.OpenTransactions;
import io.rowlock.client.lock.Use;
import io.rowlock.client.transaction.LoggedTransactions;
import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A thread that relies on a lock of another thread, as on leadership, where it could not acquire it either. */
class RelianceTests {
    private final RowlockClient client =
            RowlockClient.builder(new InMemoryLockStore()).build();
    private final LoggedTransactions transactions = new LoggedTransactions(new ArrayList<>());
    private final DataSource dataSource = (DataSource) Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "hashCode" -> 1;
                case "equals" -> proxy == arguments[0];
                default -> null;
            });
    private DetachableLock lock;

    @BeforeEach
    void acquireOnAnotherThread() throws Exception {
        client.requireGuardedTransactions(any -> true);
        FutureTask<DetachableLock> acquired =
                new FutureTask<>(() -> (DetachableLock) client.acquire(LockRequest.exclusive("a")));
        new Thread(acquired, "holder").start();
        lock = acquired.get();
    }

    @AfterEach
    void close() {
        lock.close();
        assertThat(Use.of(client.locks()).threads()).isZero();
        client.close();
    }

    private void relyInTransaction() {
        new TransactionTemplate(transactions)
                .executeWithoutResult(status -> lock.rely().close());
    }

    private void withConnection(Runnable body) {
        TransactionSynchronizationManager.bindResource(dataSource, "its connection");
        try {
            body.run();
        } finally {
            TransactionSynchronizationManager.unbindResource(dataSource);
        }
    }

    /** The transaction keeps the lock, which is out of its thread's hands: two such threads would wait for each other for ever. */
    @Test
    void transactionOfADetachedLockDoesNotWaitForAnotherWithoutEnd() throws Exception {
        LockRequest busy = LockRequest.exclusive("a").withWaitTime(Duration.ofMillis(50));
        FutureTask<Boolean> waiter =
                new FutureTask<>(() -> new TransactionTemplate(new LoggedTransactions(new ArrayList<>()))
                        .execute(status -> {
                            DetachableLock detached = (DetachableLock) client.acquire(LockRequest.exclusive("b"));
                            detached.detach();
                            try {
                                client.lock(busy).lock();
                                return true;
                            } finally {
                                detached.close();
                            }
                        }));
        new Thread(waiter, "waiter").start();
        assertThatThrownBy(() -> waiter.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(LockNotAcquiredException.class);
    }

    private void refuseReliance(BooleanSupplier rollBack) {
        OpenTransactions.Rules rules = new OpenTransactions.Rules(
                Map.of(),
                null,
                client.staleReads(),
                "It is JTA",
                rollBack,
                () -> true,
                () -> () -> false,
                OpenTransactions.boundUnder(null),
                null);
        transactions.addListener(new TransactionFence(client, rules));
    }

    @Test
    void isRefusedInATransactionInWhichNoLockCanBeReliedOn() {
        refuseReliance(() -> false);
        assertThatIllegalStateException().isThrownBy(this::relyInTransaction).withMessage("It is JTA");
    }

    @Test
    void isRefusedInATransactionThatIsNotGuarded() {
        withConnection(() -> assertThatIllegalStateException()
                .isThrownBy(this::relyInTransaction)
                .withMessageContaining("rowlock.fencing.unguarded-managers"));
    }

    @Test
    void isRefusedInATransactionWithoutSynchronization() {
        transactions.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
        transactions.addListener(Fences.of(client, Map.of()));
        withConnection(() -> assertThatIllegalStateException()
                .isThrownBy(this::relyInTransaction)
                .withMessageContaining("SYNCHRONIZATION_NEVER"));
        relyInTransaction(); // as in one of a message broker, which has no data of the lock
    }

    @Test
    void isRefusedAfterTheCommitOnTheConnectionOfTheTransaction() {
        transactions.addListener(Fences.of(client, Map.of()));
        withConnection(() -> assertThatIllegalStateException()
                .isThrownBy(this::relyAfterCommit)
                .withMessageContaining("after the commit"));
        relyAfterCommit();
    }

    private void relyAfterCommit() {
        new TransactionTemplate(transactions)
                .executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                lock.rely().close();
                            }
                        }));
    }

    @Test
    void isPossibleInAGuardedTransactionAndWithoutAny() {
        transactions.addListener(Fences.of(client, Map.of()));
        withConnection(this::relyInTransaction);
        withConnection(() -> lock.rely().close());
    }

    @Test
    void commitIsRefusedBecauseTheLockExpiredThoughItIsClosedByThen() {
        AtomicLong clock = new AtomicLong();
        try (RowlockClient timed = RowlockClient.builder(new InMemoryLockStore())
                .ticker(clock::get)
                .renewal(false)
                .build()) {
            transactions.addListener(Fences.of(timed, Map.of()));
            DetachableLock expired = (DetachableLock) timed.acquire(LockRequest.exclusive("a"));
            try (CommitGuard relied = expired.rely()) {
                assertThat(relied).isNotNull();
                clock.addAndGet(Duration.ofMinutes(1).toNanos());
                expired.close();
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> new TransactionTemplate(transactions).executeWithoutResult(status -> {}))
                        .withMessageContaining("it was not renewed before it expired");
            }
        }
    }

    /** Else it would be interrupted as well, in its roll back. */
    @Test
    void lockIsLostForGoodOnceACommitIsRefusedByTheClock() {
        AtomicLong clock = new AtomicLong();
        try (RowlockClient timed = RowlockClient.builder(new InMemoryLockStore())
                .ticker(clock::get)
                .build()) {
            transactions.addListener(Fences.of(timed, Map.of()));
            HeldLock expired = timed.acquire(LockRequest.exclusive("a").withOnLost(OnLost.INTERRUPT));
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> new TransactionTemplate(transactions)
                            .executeWithoutResult(status ->
                                    clock.addAndGet(Duration.ofMinutes(1).toNanos())));
            assertThat(Use.of(timed.locks()).leases()).isZero();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            expired.close();
        }
    }

    /** Spring would leave the connection of the transaction bound to the thread. */
    @Test
    void transactionBeginsThoughItsRollBackFailsAndThatCannotBeLogged() {
        refuseReliance(() -> {
            throw new IllegalStateException("The connection is closed");
        });
        AtomicLong bodies = new AtomicLong();
        try (CommitGuard relied = lock.rely()) {
            assertThat(relied).isNotNull();
            FullDisk.during(
                    "io.rowlock.client.lock.OpenTransaction",
                    null,
                    () -> assertThatIllegalStateException()
                            .isThrownBy(() -> new TransactionTemplate(transactions)
                                    .executeWithoutResult(status -> bodies.incrementAndGet()))
                            .withMessage("It is JTA"));
        }
        assertThat(bodies).hasValue(1);
    }
}
