package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.StaleReadException;
import io.rowlock.autoconfigure.application.Entry;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.client.RowlockClient;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PersistenceException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Writes under a lock of entities that the persistence context had before. */
@OnServer(ServerFlavor.MYSQL)
@ExtendWith(OutputCaptureExtension.class)
class EarlyEntityTests extends EarlyReads {
    private final EntityManagerFactory factory = node.getBean(EntityManagerFactory.class);

    @EntityScan(basePackageClasses = {Account.class, Entry.class})
    static class Entities {}

    @BeforeServer
    static void start() {
        schema.jdbc().execute("CREATE TABLE account (id INT PRIMARY KEY, amount INT NOT NULL)");
        schema.jdbc()
                .execute(
                        "CREATE TABLE versioned_account (id INT PRIMARY KEY, amount INT NOT NULL, version INT NOT NULL)");
        start(new TestApplication(schema, Entities.class).withJpa());
    }

    @BeforeEach
    void rows() {
        schema.jdbc().update("INSERT INTO account VALUES (?, 0)", id);
        schema.jdbc().update("INSERT INTO versioned_account VALUES (?, 0, 0)", id);
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    @Test
    void openInViewEntityIsRefused() {
        inView(view -> {
            view.find(Account.class, id);
            assertThatExceptionOfType(StaleReadException.class)
                    .isThrownBy(() -> writeUnderItemLock(view))
                    .withMessageContaining("Account#" + id)
                    .withMessageContaining("item:" + id)
                    .withMessageContaining("open-in-view=false")
                    .withMessageContaining("EntityManager.refresh")
                    .withMessageContaining("@Version")
                    .withMessageContaining("stale-snapshot to allow")
                    // Hibernate would not read it again: see entityThatIsLockedAfterItWasLoadedIsRefused
                    .withMessageNotContaining("PESSIMISTIC_WRITE");
        });
        assertAmount(0);
    }

    @Test
    void entityOfAnOuterTransactionIsRefused() {
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    EntityManager entities = current();
                    entities.find(Account.class, id);
                    locked("item", () -> entities.find(Account.class, id).add());
                }));
        assertAmount(0);
    }

    @Test
    void deletionIsRefused() {
        inView(view -> {
            Account early = view.find(Account.class, id);
            assertThatExceptionOfType(StaleReadException.class)
                    .isThrownBy(
                            () -> locked("item", () -> transaction.executeWithoutResult(status -> view.remove(early))));
        });
        assertAmount(0);
    }

    @Test
    void entityOfAnEarlierLockedPeriodIsRefused() {
        inView(view -> {
            locked("item", () -> transaction.executeWithoutResult(status -> view.find(Account.class, id)));
            assertThatExceptionOfType(StaleReadException.class).isThrownBy(() -> writeUnderItemLock(view));
        });
    }

    /** A permit lets another holder in between the two. */
    @Test
    void entityOfAnEarlierLockedPeriodIsRefusedThoughAPermitIsHeldThroughout() {
        try (HeldLock permit = locks.acquire(LockRequest.permit("report:" + id, 3))) {
            entityOfAnEarlierLockedPeriodIsRefused();
        }
    }

    @Test
    void strategyTransactionIsChecked() {
        inView(view -> {
            view.find(Account.class, id);
            assertThatExceptionOfType(StaleReadException.class)
                    .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                        locks.acquire(LockRequest.exclusive("row:" + id).withStrategy("transaction"));
                        view.find(Account.class, id).add();
                    }));
        });
        assertAmount(0);
    }

    @Test
    void entityThatWasOnlyReadPasses() {
        inView(view -> {
            view.find(VersionedAccount.class, id);
            Account user = view.find(Account.class, id);
            locked(
                    "item",
                    () -> transaction.executeWithoutResult(
                            status -> assertThat(view.contains(user)).isTrue()));
        });
    }

    @Test
    void versionedEntityPasses() {
        inView(view -> {
            view.find(VersionedAccount.class, id);
            locked(
                    "item",
                    () -> transaction.executeWithoutResult(
                            status -> view.find(VersionedAccount.class, id).add()));
        });
        assertAmount("versioned_account", id, 1);
    }

    /** As in a generator of numbers, which reads the last one. The commit has been checked by then. */
    @ParameterizedTest
    @ValueSource(
            ints = {TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_READ_COMMITTED})
    void lockThatIsAcquiredInTheFlushOfACommitIsCheckedToo(int isolation) {
        transaction.setIsolationLevel(isolation);
        Runnable commit = () -> transaction.executeWithoutResult(status -> {
            VersionedAccount account = current().find(VersionedAccount.class, id);
            account.beforeUpdate(() -> locked("number", () -> {}));
            account.add();
        });
        if (isolation == TransactionDefinition.ISOLATION_REPEATABLE_READ) {
            assertThatExceptionOfType(StaleReadException.class).isThrownBy(commit::run);
            assertAmount("versioned_account", id, 0);
        } else {
            commit.run();
            assertAmount("versioned_account", id, 1);
        }
    }

    @Test
    void refreshedEntityPasses() {
        inView(view -> {
            Account early = view.find(Account.class, id);
            locked(
                    "item",
                    () -> transaction.executeWithoutResult(status -> {
                        view.refresh(early);
                        early.add();
                    }));
        });
        assertAmount(1);
    }

    @Test
    void entityOfAnEarlierLockedPeriodPassesOnceItIsRefreshed() {
        inView(view -> {
            locked("item", () -> transaction.executeWithoutResult(status -> view.find(Account.class, id)));
            locked(
                    "item",
                    () -> transaction.executeWithoutResult(status -> {
                        Account early = view.find(Account.class, id);
                        view.refresh(early);
                        early.add();
                    }));
        });
        assertAmount(1);
    }

    @Test
    void entityThatIsLoadedUnderAnOuterLockPasses() {
        locked(
                "outer",
                () -> inView(view -> {
                    view.find(Account.class, id);
                    writeUnderItemLock(view);
                }));
        assertAmount(1);
    }

    /** Another thread that shares the outer lock may have written it under the inner one. */
    @Test
    void entityThatIsLoadedUnderAnOuterSharedLockIsRefused() {
        LockRequest tenant = LockRequest.shared("tenant:" + id);
        try (HeldLock outer = locks.acquire(tenant)) {
            inView(view -> {
                view.find(Account.class, id);
                assertThatExceptionOfType(StaleReadException.class).isThrownBy(() -> writeUnderItemLock(view));
            });
        }
        assertAmount(0);
    }

    @Test
    void entityThatIsLoadedAndWrittenUnderASharedLockPasses() {
        try (HeldLock outer = locks.acquire(LockRequest.shared("tenant:" + id))) {
            inView(view -> {
                view.find(Account.class, id);
                transaction.executeWithoutResult(
                        status -> view.find(Account.class, id).add());
            });
        }
        assertAmount(1);
    }

    /** The one before is only kept until the transaction has completed, and protects what was read under it. */
    @Test
    void entityThatIsLoadedBetweenTwoLocksOfATransactionIsRefused() {
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    locked("other", () -> {});
                    Account account = current().find(Account.class, id);
                    locked("item", account::add);
                }));
        assertAmount(0);
    }

    @Test
    void entityThatIsLoadedUnderALockThatTheTransactionKeepsPasses() {
        transaction.executeWithoutResult(status -> {
            AtomicReference<Account> loaded = new AtomicReference<>();
            locked("item", () -> loaded.set(current().find(Account.class, id)));
            locked("other", () -> loaded.get().add());
        });
        assertAmount(1);
    }

    /** Nothing was acquired since. */
    @Test
    void entityThatIsLoadedAfterTheLastLockOfItsTransactionPasses() {
        transaction.executeWithoutResult(status -> {
            locked("item", () -> {});
            current().find(Account.class, id).add();
        });
        transaction.executeWithoutResult(status -> {
            locked("item", () -> {});
            Account account = current().find(Account.class, id);
            locked("item", account::add);
        });
        assertAmount(2);
    }

    @Test
    void strategyTransactionIsCheckedBesideALockThatOthersShare() {
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    locks.acquire(LockRequest.shared("tenant:" + id).withStrategy("transaction"));
                    Account account = current().find(Account.class, id);
                    locks.acquire(LockRequest.exclusive("row:" + id).withStrategy("transaction"));
                    account.add();
                }));
        assertAmount(0);
    }

    @Test
    void entityThatTheTransactionHasInsertedPasses() {
        int fresh = -id;
        transaction.executeWithoutResult(status -> {
            EntityManager entities = current();
            Account account = new Account(fresh);
            entities.persist(account);
            entities.flush();
            locked("item", () -> {
                account.add();
                entities.flush();
            });
        });
        assertAmount("account", fresh, 1);
    }

    @Test
    void entityThatTheTransactionHasLockedPasses() {
        transaction.executeWithoutResult(status -> {
            Account account = current().find(Account.class, id, LockModeType.PESSIMISTIC_WRITE);
            locked("item", () -> account.add());
        });
        assertAmount(1);
    }

    /** Hibernate locks the row of an entity that it has, and does not read it again. */
    @ParameterizedTest
    @ValueSource(strings = {"lock", "find"})
    void entityThatIsLockedAfterItWasLoadedIsRefused(String how) {
        inView(view -> {
            Account early = view.find(Account.class, id);
            schema.jdbc().update("UPDATE account SET amount = 1 WHERE id = ?", id);
            assertThatExceptionOfType(StaleReadException.class)
                    .isThrownBy(() -> locked(
                            "item",
                            () -> transaction.executeWithoutResult(status -> {
                                lockRow(view, early, how);
                                early.add();
                            })));
        });
        assertAmount(1);
    }

    @Test
    void entityThatIsLockedAndRefreshedPasses() {
        inView(view -> {
            Account early = view.find(Account.class, id);
            schema.jdbc().update("UPDATE account SET amount = 1 WHERE id = ?", id);
            locked(
                    "item",
                    () -> transaction.executeWithoutResult(status -> {
                        view.refresh(early, LockModeType.PESSIMISTIC_WRITE);
                        early.add();
                    }));
        });
        assertAmount(2);
    }

    /** A row lock ends with its transaction, and so does what it says of the entity. */
    @Test
    void entityThatAnEarlierTransactionHasLockedIsRefused() {
        inView(view -> {
            transaction.executeWithoutResult(status -> view.find(Account.class, id, LockModeType.PESSIMISTIC_WRITE));
            schema.jdbc().update("UPDATE account SET amount = 1 WHERE id = ?", id);
            assertThatExceptionOfType(StaleReadException.class)
                    .isThrownBy(() -> locked(
                            "item",
                            () -> transaction.executeWithoutResult(status -> {
                                Account early = view.find(Account.class, id);
                                lockRow(view, early, "lock");
                                early.add();
                            })));
        });
        assertAmount(1);
    }

    private void lockRow(EntityManager view, Account account, String how) {
        if (how.equals("lock")) {
            view.lock(account, LockModeType.PESSIMISTIC_WRITE);
        } else {
            assertThat(view.find(Account.class, id, LockModeType.PESSIMISTIC_WRITE))
                    .isSameAs(account);
        }
    }

    @Test
    void entityPassesUnderAPermit() {
        inView(view -> {
            view.find(Account.class, id);
            try (HeldLock permit = locks.acquire(LockRequest.permit("report:" + id, 3))) {
                transaction.executeWithoutResult(
                        status -> view.find(Account.class, id).add());
            }
        });
        assertAmount(1);
    }

    @Test
    void entityPassesWithoutALock() {
        inView(view -> {
            view.find(Account.class, id);
            transaction.executeWithoutResult(
                    status -> view.find(Account.class, id).add());
        });
        assertAmount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lenient", "noisy"})
    void settingOfTheLockWins(String name, CapturedOutput output) {
        inView(view -> {
            view.find(Account.class, id);
            locked(
                    name,
                    () -> transaction.executeWithoutResult(
                            status -> view.find(Account.class, id).add()));
        });
        assertAmount(1);
        assertThat(output.getAll().contains("Account#" + id)).isEqualTo(name.equals("noisy"));
    }

    /** Whose entities tell nothing of when they were loaded. A web application has open-in-view unless it says otherwise. */
    @ParameterizedTest
    @CsvSource({", true", "true, true", "false, false"})
    void openInViewOfAnotherProviderIsWarnedOf(String openInView, boolean warned, CapturedOutput output) {
        EntityManagerFactory other = mock(EntityManagerFactory.class);
        when(other.unwrap(any())).thenThrow(new PersistenceException("another provider"));
        StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("other", other));
        MockEnvironment environment = new MockEnvironment();
        if (openInView != null) {
            environment.setProperty("spring.jpa.open-in-view", openInView);
        }
        new EarlyEntityChecks(beans, node.getBean(RowlockClient.class).staleReads(), environment)
                .afterSingletonsInstantiated();
        assertThat(output.getAll().contains("The entities of \"other\" are not those of Hibernate"))
                .isEqualTo(warned);
    }

    // ----

    /** Unchecked, 28 of 100 were counted, and each call ended well. */
    @Test
    void noneOfAHundredCallsEndsWellWhoseViewsHadTheEntity() {
        AtomicInteger counted = new AtomicInteger();
        inParallel(100, () -> count(counted));
        assertThat(counted).hasValue(0);
        assertAmount(0);
    }

    private void count(AtomicInteger counted) {
        inView(view -> {
            view.find(Account.class, id);
            try {
                writeUnderItemLock(view);
                counted.incrementAndGet();
            } catch (StaleReadException e) {
                assertThat(e).hasMessageContaining("Account#" + id);
            }
        });
    }

    private void writeUnderItemLock(EntityManager view) {
        locked(
                "item",
                () -> transaction.executeWithoutResult(
                        status -> view.find(Account.class, id).add()));
    }

    private void locked(String name, Runnable body) {
        LockRequest request = LockRequest.exclusive(name + ":" + id).withName(name);
        try (HeldLock lock = locks.acquire(request)) {
            body.run();
        }
    }

    /** One persistence context for several transactions, as spring.jpa.open-in-view has it for a request. */
    private void inView(Consumer<EntityManager> request) {
        EntityManager view = factory.createEntityManager();
        TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(view));
        try {
            request.accept(view);
        } finally {
            TransactionSynchronizationManager.unbindResource(factory);
            view.close();
        }
    }

    private EntityManager current() {
        EntityManagerHolder bound = (EntityManagerHolder) TransactionSynchronizationManager.getResource(factory);
        return bound.getEntityManager();
    }

    private void assertAmount(int expected) {
        assertAmount("account", id, expected);
    }
}
