package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockListener;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The wired whole: a lock is taken, seen, lost, and refuses the commit it guarded. */
@OnServer
class GuardedTransactionTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema("CREATE TABLE work (id INT)");

    @Test
    void ownerIsReadableInTheTable() {
        try (var context = application("owner")
                        .with("spring.application.name", "shop")
                        .start();
                HeldLock lock = context.getBean(LockClient.class).acquire(LockRequest.exclusive("owner"))) {
            assertThat(lock.isHeld()).isTrue();
            assertThat(schema.jdbc().queryForObject("SELECT owner FROM rowlock_locks_held", String.class))
                    .startsWith("shop@");
        }
    }

    @Test
    void lostLockRefusesTheCommit() {
        try (var context = application("lost").start()) {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> workUnderLostLock(context));
            assertThat(worked(context)).isZero();
        }
    }

    @Test
    void withoutFencingItDoesNot() {
        try (var context = application("unfenced")
                .with("rowlock.fencing.transactional", "false")
                .start()) {
            workUnderLostLock(context);
            assertThat(worked(context)).isOne();
        }
    }

    /** As one that loads data once in the cluster. */
    @Configuration(proxyBeanMethods = false)
    static class WarmUp {
        @Bean
        InitializingBean warmUp(ConfigurableApplicationContext context) {
            return () -> workUnderLostLock(context);
        }
    }

    @Test
    void lostLockRefusesTheCommitOfABeanThatIsBeingMade() {
        assertThatException()
                .isThrownBy(() -> application("warm-up", WarmUp.class).start().close())
                .withRootCauseInstanceOf(LockLostException.class);
        assertThat(schema.jdbc().queryForObject("SELECT COUNT(*) FROM work", Integer.class))
                .isZero();
    }

    @Configuration(proxyBeanMethods = false)
    static class WritingListener {
        @Bean
        LockListener writingListener(PlatformTransactionManager manager, JdbcTemplate jdbc) {
            new TransactionTemplate(manager).executeWithoutResult(status -> jdbc.update("INSERT INTO work VALUES (1)"));
            return event -> {};
        }
    }

    /** The client needs it, so the fences have no client yet. */
    @Test
    void listenerOfLocksMayBeginTransactionsAsItIsMade() {
        try (var context = application("listener", WritingListener.class).start()) {
            assertThat(worked(context)).isOne();
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> workUnderLostLock(context));
        }
    }

    /** As docs/transactions.md says: the server commits what came before it. */
    @Test
    void ddlCommitsWhatTheBodyWroteBeforeIt() {
        try (var context = application("ddl").start()) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> workUnderLostLock(
                            context, () -> jdbc.execute("CREATE TABLE IF NOT EXISTS during_work (id INT)")));
            assertThat(worked(context)).isOne();
        }
    }

    private static TestApplication application(String name, Class<?>... beans) {
        schema.jdbc().execute("DELETE FROM work");
        return new TestApplication(schema, beans).with("rowlock.key-prefix", name + ":");
    }

    private static void workUnderLostLock(ConfigurableApplicationContext context) {
        workUnderLostLock(context, () -> {});
    }

    private static void workUnderLostLock(ConfigurableApplicationContext context, Runnable afterwards) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        LockClient locks = context.getBean(LockClient.class);
        try (HeldLock lock = locks.acquire(LockRequest.exclusive("work"))) {
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                jdbc.update("INSERT INTO work VALUES (1)");
                schema.jdbc().update("UPDATE rowlock_lock SET expires_at = '1970-01-01'");
                assertThat(lock.key()).isEqualTo("work");
                afterwards.run();
            });
        }
    }

    private static int worked(ConfigurableApplicationContext context) {
        return context.getBean(JdbcTemplate.class).queryForObject("SELECT COUNT(*) FROM work", Integer.class);
    }
}
