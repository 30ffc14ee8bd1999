package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.store.Maintenance;
import io.rowlock.test.OnServer;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** An application in a country that writes numbers in digits of its own, as Java does there: no server reads them. */
@OnServer
@Isolated
class OtherDigitsTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema();

    private final Locale usual = Locale.getDefault(Locale.Category.FORMAT);

    @BeforeEach
    void goAbroad() {
        Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("ar-EG"));
        assertThat("%d".formatted(1)).isNotEqualTo("1");
    }

    @AfterEach
    void comeBack() {
        Locale.setDefault(Locale.Category.FORMAT, usual);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "row-lock", "unique-key", "transaction"})
    void locksAreAcquiredAndReleased(String strategy) {
        try (var context = new TestApplication(schema).start()) {
            LockClient locks = context.getBean(LockClient.class);
            var transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
            transaction.executeWithoutResult(open -> {
                HeldLock lock = locks.acquire(LockRequest.exclusive(strategy).withStrategy(strategy));
                assertThat(lock.isHeld()).isTrue();
                lock.close();
            });
            transaction.executeWithoutResult(open -> assertThat(
                            locks.tryAcquire(LockRequest.exclusive(strategy).withStrategy(strategy)))
                    .hasValueSatisfying(HeldLock::close));
        }
    }

    @Test
    void tablesAreCleaned() {
        try (var context = new TestApplication(schema).start()) {
            LockClient locks = context.getBean(LockClient.class);
            locks.acquire(LockRequest.exclusive("old").withStrategy("row-lock")).close();
            schema.jdbc().update("UPDATE rowlock_row SET created_on = '2020-01-01'");
            schema.jdbc()
                    .update(
                            "INSERT INTO rowlock_lock_log (strategy, lock_key, mode, owner, fence, status, acquired_at, waited_micros)"
                                    + " VALUES ('lease', 'dead', 'EXCLUSIVE', 'x', 1, 'HELD', '2020-01-01', 0)");
            assertThat(context.getBean(Maintenance.class).cleanUp())
                    .contains("old keys of row locks", "log rows of expired leases: 1");
        }
    }
}
