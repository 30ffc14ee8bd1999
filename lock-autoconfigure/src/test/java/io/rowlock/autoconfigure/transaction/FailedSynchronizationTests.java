package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A listener that fails before the commit with an exception of another transaction, as if a pool is exhausted. Spring takes that for a
 * failed commit, does not roll back, and the connection commits when it gets its autocommit mode back.
 */
@OnServer
class FailedSynchronizationTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema("CREATE TABLE work (id INT)");

    private static ConfigurableApplicationContext node;

    private final LockClient locks = node.getBean(LockClient.class);
    private final JdbcTemplate jdbc = node.getBean(JdbcTemplate.class);

    @BeforeAll
    static void start() {
        node = new TestApplication(schema).start();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void clear() {
        schema.jdbc().execute("DELETE FROM work");
    }

    private static void inTransaction(Runnable body) {
        new TransactionTemplate(node.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> body.run());
    }

    private static TransactionException failure(String kind) {
        return kind.equals("cannot begin")
                ? new CannotCreateTransactionException("the pool is exhausted")
                : new UnexpectedRollbackException("the inner one was rolled back");
    }

    private static void failBeforeCommit(TransactionException failure) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                throw failure;
            }
        });
    }

    private int worked() {
        return schema.jdbc().queryForObject("SELECT COUNT(*) FROM work", Integer.class);
    }

    private boolean isFreeForOthers(String key) {
        return CompletableFuture.supplyAsync(() -> {
                    Optional<HeldLock> lock = locks.tryAcquire(LockRequest.exclusive(key));
                    lock.ifPresent(HeldLock::close);
                    return lock.isPresent();
                })
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cannot begin", "unexpected rollback"})
    void transactionIsRolledBackBeforeItsLockIsReleased(String kind) {
        boolean[] free = new boolean[1];
        TransactionException failure = failure(kind);
        assertThatExceptionOfType(failure.getClass())
                .isThrownBy(() -> inTransaction(() -> {
                    HeldLock lock = locks.acquire(LockRequest.exclusive("in"));
                    jdbc.update("INSERT INTO work VALUES (1)");
                    lock.close();
                    free[0] = isFreeForOthers("in");
                    failBeforeCommit(failure);
                }));
        assertThat(free[0]).isFalse();
        assertThat(worked()).isZero();
        assertThat(isFreeForOthers("in")).isTrue();
    }

    @Test
    void transactionUnderALostLockIsRolledBack() {
        try (HeldLock lock = locks.acquire(LockRequest.exclusive("around"))) {
            assertThatExceptionOfType(CannotCreateTransactionException.class)
                    .isThrownBy(() -> inTransaction(() -> {
                        jdbc.update("INSERT INTO work VALUES (1)");
                        schema.jdbc().update("UPDATE rowlock_lock SET expires_at = '1970-01-01'");
                        assertThat(lock.isHeld()).isTrue();
                        failBeforeCommit(new CannotCreateTransactionException("the pool is exhausted"));
                    }));
        }
        assertThat(worked()).isZero();
    }

    /** Without a lock it is none of ours. */
    @Test
    void transactionWithoutALockEndsAsSpringEndsIt() {
        assertThatExceptionOfType(CannotCreateTransactionException.class)
                .isThrownBy(() -> inTransaction(() -> {
                    jdbc.update("INSERT INTO work VALUES (1)");
                    failBeforeCommit(new CannotCreateTransactionException("the pool is exhausted"));
                }));
        assertThat(worked()).isOne();
    }
}
