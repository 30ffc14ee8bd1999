package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.store.LockLog;
import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.cleanup.CleanUpJob;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import io.rowlock.test.OnServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The log and the clean-up of a started application. */
@OnServer
class LockLogWiringTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema();

    private static TestApplication application(Class<?>... more) {
        return new TestApplication(schema, more);
    }

    private static List<String> statuses(String key) {
        return schema.jdbc().queryForList("SELECT status FROM rowlock_lock_log WHERE lock_key = ?", String.class, key);
    }

    private static void lock(ConfigurableApplicationContext context, String key) {
        try (HeldLock lock = context.getBean(LockClient.class).acquire(LockRequest.exclusive(key))) {
            assertThat(lock.isHeld()).isTrue();
        }
    }

    @Test
    void logIsAsyncByDefaultAndFlushedAtShutdownWithWhatWasHeld() {
        try (var context = application()
                .with("spring.lifecycle.timeout-per-shutdown-phase", "1s")
                .start()) {
            assertThat(context.getBean(LockLog.class)).isInstanceOf(AsyncLockLog.class);
            lock(context, "closed");
            context.getBean(LockClient.class).acquire(LockRequest.exclusive("held"));
        }
        assertThat(statuses("closed")).containsExactly("RELEASED");
        assertThat(statuses("held")).containsExactly("RELEASED");
    }

    /** YAML reads a bare off as false. */
    @ParameterizedTest
    @ValueSource(strings = {"off", "false"})
    void logCanBeSwitchedOff(String off) {
        try (var context = application().with("rowlock.log.mode", off).start()) {
            assertThat(context.getBeanNamesForType(LockLog.class)).isEmpty();
            lock(context, "off");
        }
        assertThat(statuses("off")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"never", "sync"})
    void unknownModeIsRefused(String mode) {
        TestApplication application = application().with("rowlock.log.mode", mode);
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(application::start)
                .withStackTraceContaining("rowlock.log.mode");
    }

    @Test
    void logOfTheApplicationWins() {
        try (var context = application(OwnLog.class).start()) {
            lock(context, "own");
            assertThat(context.getBean(OwnLog.class).keys).contains("own");
        }
        assertThat(statuses("own")).isEmpty();
    }

    @Test
    void cleanUpIsThereAndTheApplicationsOwnWins() {
        try (var context = application().start()) {
            assertThat(context.getBean(CleanUpJob.class)).isNotNull();
            assertThat(context.getBean(Maintenance.class).cleanUp()).isNotNull();
        }
        try (var context = application(OwnMaintenance.class).start()) {
            assertThat(context.getBean(Maintenance.class).cleanUp()).isEqualTo("mine");
        }
    }

    @Test
    void retentionAndKeepIdleReachTheCleanUp() {
        try (var context = application()
                .with("rowlock.log.retention", "1h")
                .with("rowlock.cleanup.keep-idle", "1h")
                .start()) {
            lock(context, "old");
            await().until(() -> statuses("old").equals(List.of("RELEASED")));
            schema.jdbc().update("UPDATE rowlock_lock_log SET acquired_at = acquired_at - INTERVAL 2 HOUR");
            schema.jdbc().update("UPDATE rowlock_lock SET acquired_at = acquired_at - INTERVAL 2 HOUR");
            context.getBean(Maintenance.class).cleanUp();
            assertThat(statuses("old")).isEmpty();
            assertThat(schema.jdbc()
                            .queryForObject("SELECT COUNT(*) FROM rowlock_lock WHERE lock_key = 'old'", Integer.class))
                    .isZero();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnLog {
        final List<String> keys = new ArrayList<>();

        @Bean
        LockLog mine() {
            return (strategy, lease, token, waited) -> {
                keys.add(lease.key());
                return LockLog.Entry.NONE;
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnMaintenance {
        @Bean
        Maintenance mine() {
            return () -> "mine";
        }
    }
}
