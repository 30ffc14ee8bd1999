package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.StaleReadException;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@OnServer(ServerFlavor.MYSQL)
class MySqlEarlySnapshotTests extends EarlySnapshotContract {
    /** The lock "strict" has a setting of its own, which wins. */
    @ParameterizedTest
    @ValueSource(strings = {"warn", "allow"})
    void globalSettingIsThatOfAllOtherLocks(String setting, CapturedOutput output) {
        LockRequest request = LockRequest.exclusive("item:" + id);
        try (var context = new TestApplication(schema)
                .with("rowlock.fencing.stale-snapshot", setting)
                .with("rowlock.locks.strict.stale-snapshot", "refuse")
                .start()) {
            readThenSell(context, request);
            assertAmount("stock", id, 1);
            assertThatExceptionOfType(StaleReadException.class)
                    .isThrownBy(() -> readThenSell(context, request.withName("strict")));
            assertAmount("stock", id, 1);
        }
        assertThat(output.getAll().contains("\"item:" + id + "\" in ")).isEqualTo(setting.equals("warn"));
    }

    private void readThenSell(ConfigurableApplicationContext context, LockRequest request) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            jdbc.queryForList("SELECT * FROM stock WHERE id = ?", -id);
            try (HeldLock lock = context.getBean(LockClient.class).acquire(request)) {
                assertThat(lock.isHeld()).isTrue();
                jdbc.update("UPDATE stock SET amount = amount + 1 WHERE id = ?", id);
            }
        });
    }
}
