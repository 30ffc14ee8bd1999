package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.ReadLock;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.store.Maintenance;
import io.rowlock.test.OnServer;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Strategy unique-key in a started application, alone and beside the default. */
@OnServer
@ExtendWith(OutputCaptureExtension.class)
class UniqueKeyWiringTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema("CREATE TABLE entry (id INT PRIMARY KEY)");

    private static TestApplication application(Class<?>... more) {
        return new TestApplication(schema, more);
    }

    private static List<String> held(String key) {
        return schema.jdbc()
                .queryForList(
                        "SELECT strategy FROM rowlock_locks_held WHERE lock_key = ? ORDER BY 1", String.class, key);
    }

    private static List<String> logged(String key) {
        return schema.jdbc()
                .queryForList(
                        "SELECT CONCAT(strategy, ' ', status) FROM rowlock_lock_log WHERE lock_key = ? ORDER BY id",
                        String.class,
                        key);
    }

    private static void awaitLogged(String key, String... rows) {
        await().untilAsserted(() -> assertThat(logged(key)).containsExactly(rows));
    }

    @Test
    void propertyChoosesIt() {
        try (var context = application().with("rowlock.strategy", "unique-key").start()) {
            try (HeldLock lock = context.getBean(LockClient.class).acquire(LockRequest.exclusive("property"))) {
                assertThat(lock.isHeld()).isTrue();
                assertThat(held("property")).containsExactly("unique-key");
            }
            assertThat(held("property")).isEmpty();
            awaitLogged("property", "unique-key RELEASED");
        }
    }

    @Test
    void annotationsChooseBesideEachOther() {
        try (var context = application(Mixed.class).start()) {
            Mixed mixed = context.getBean(Mixed.class);
            assertThat(mixed.leased(() -> mixed.unique(() -> held("mixed")))).containsExactly("lease", "unique-key");
            assertThat(held("mixed")).isEmpty();
            awaitLogged("mixed", "lease RELEASED", "unique-key RELEASED");
        }
    }

    @Test
    void commitIsRefusedOnceTheLockIsLost() {
        try (var context = application(Mixed.class).start()) {
            Mixed mixed = context.getBean(Mixed.class);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> mixed.store(
                            1, () -> schema.jdbc().update("DELETE FROM rowlock_unique_key WHERE lock_key = 'stored'")));
            mixed.store(2, () -> {});
            assertThat(schema.jdbc().queryForList("SELECT id FROM entry", Integer.class))
                    .containsExactly(2);
            awaitLogged("stored", "unique-key LOST", "unique-key RELEASED");
        }
    }

    @Test
    void cleanUpRemovesWhatDeadHoldersLeft() {
        try (var context = application().start()) {
            schema.jdbc()
                    .update("INSERT INTO rowlock_unique_key (lock_key, owner, acquired_at, expires_at)"
                            + " VALUES ('dead', 'x', '2020-01-01', '2020-01-01')");
            assertThat(context.getBean(Maintenance.class).cleanUp()).contains("unique keys of dead holders: 1");
        }
    }

    @Test
    void readersAreRefusedAtStart(CapturedOutput output) {
        assertThatException().isThrownBy(application(Reader.class).with("rowlock.strategy", "unique-key")::start);
        assertThat(output).contains("APPLICATION FAILED TO START", "Reader.run()", "\"unique-key\"", "shared");
        int before = output.getAll().length();
        assertThatException().isThrownBy(application(NamedReader.class)::start);
        assertThat(output.getAll().substring(before)).contains("NamedReader.run()", "\"unique-key\"", "shared");
    }

    @Service
    static class Mixed {
        private final JdbcTemplate jdbc;

        Mixed(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLock("mixed")
        public List<String> leased(Supplier<List<String>> during) {
            return during.get();
        }

        @DistributedLock(name = "mixed", strategy = "unique-key")
        public List<String> unique(Supplier<List<String>> during) {
            return during.get();
        }

        @DistributedLock(name = "stored", strategy = "unique-key")
        @Transactional
        public void store(int id, Runnable during) {
            jdbc.update("INSERT INTO entry VALUES (?)", id);
            during.run();
        }
    }

    static class Reader {
        @ReadLock("x")
        public void run() {}
    }

    static class NamedReader {
        @ReadLock(name = "x", strategy = "unique-key")
        public void run() {}
    }
}
