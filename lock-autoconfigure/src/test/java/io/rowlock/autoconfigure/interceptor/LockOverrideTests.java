package io.rowlock.autoconfigure.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockHolder;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.OncePerCluster;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What {@code rowlock.locks} changes of annotated locks. */
@OnServer
@ExtendWith(OutputCaptureExtension.class)
class LockOverrideTests {
    private static FreshSchema schema;
    private static OtherNode other;

    @BeforeAll
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        other = OtherNode.on(schema);
    }

    @AfterAll
    static void stop() {
        if (other != null) {
            other.close();
            schema.close();
        }
    }

    private static TestApplication application(Class<?>... beans) {
        return new TestApplication(schema, beans);
    }

    @Test
    void settingsWinOverTheAnnotation(CapturedOutput output) {
        try (var node = application(Work.class)
                        .with("rowlock.locks.retuned.ttl", "20s")
                        .with("rowlock.locks.retuned.strategy", "unique-key")
                        .with("rowlock.locks.retuned.wait-time", "0s")
                        .with("rowlock.locks.retuned.on-busy", "skip")
                        .with("rowlock.locks[LockOverrideTests.Work.job].hold-at-least", "5m")
                        .start();
                HeldLock busy = other.lock(LockRequest.exclusive("retuned:2").withStrategy("unique-key"))) {
            Work work = node.getBean(Work.class);
            LockHolder holder = Objects.requireNonNull(work.run(1));
            assertThat(holder.strategy()).isEqualTo("unique-key");
            assertThat(holder.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(20));
            assertThat(work.run(2)).as("skipped at once, because of %s", busy).isNull();
            work.job();
            assertThat(node.getBean(LockClient.class).holder("LockOverrideTests.Work.job"))
                    .hasValueSatisfying(kept -> assertThat(kept.remaining()).isGreaterThan(Duration.ofMinutes(4)));
        }
        assertThat(output).doesNotContain("no lock annotation has the name");
    }

    @Test
    void nameThatNoAnnotationHasIsWarnedOfOnce(CapturedOutput output) {
        application(Work.class)
                .with("rowlock.locks.retunde.ttl", "3s")
                .with("rowlock.locks.retunde.wait-time", "3s")
                .start()
                .close();
        assertThat(output)
                .containsOnlyOnce("no lock annotation has the name \"retunde\"")
                .containsPattern("WARN.*Of rowlock.locks\\[retunde]");
    }

    @Test
    void staleSnapshotOfALockInCodeIsNoMistake(CapturedOutput output) {
        application(Work.class)
                .with("rowlock.locks.debt.stale-snapshot", "allow")
                .with("rowlock.locks.retuned.permits", "5")
                .start()
                .close();
        assertThat(output)
                .doesNotContain("rowlock.locks[debt]")
                .contains("rowlock.locks[retuned].permits has no effect");
    }

    @Test
    void differentStrategiesOfOneNameAreWarnedOf(CapturedOutput output) {
        application(Work.class, Elsewhere.class).start().close();
        assertThat(output)
                .contains("The locks with the name \"retuned\" have different strategies")
                .contains("{lease=Work.run, row-lock=Elsewhere.run}");
    }

    @Test
    void oneStrategyForAllOfANameIsFine(CapturedOutput output) {
        application(Work.class, Elsewhere.class)
                .with("rowlock.locks.retuned.strategy", "row-lock")
                .start()
                .close();
        assertThat(output).doesNotContain("different strategies");
    }

    @Test
    void settingsThatCannotWorkStopTheStart() {
        assertThatException()
                .isThrownBy(() -> application(Work.class)
                        .with("rowlock.locks.primitive.on-busy", "skip")
                        .start()
                        .close())
                .havingRootCause()
                .withMessageContaining("onBusy = SKIP");
        assertThatException()
                .isThrownBy(() -> application(Work.class)
                        .with("rowlock.locks.retuned.strategy", "none")
                        .start()
                        .close())
                .isInstanceOf(InvalidLockAnnotationException.class)
                .withMessageContaining("Work.run(int)")
                .withMessageContaining("\"none\"");
    }

    static class Work {
        private final LockClient locks;

        Work(LockClient locks) {
            this.locks = locks;
        }

        @DistributedLock(name = "retuned", key = "#id", ttl = "1h", waitTime = "1h")
        public @Nullable LockHolder run(int id) {
            return locks.holder("retuned:" + id).orElseThrow();
        }

        @DistributedLock("primitive")
        public int primitive() {
            return List.of().size();
        }

        @OncePerCluster
        public void job() {}
    }

    static class Elsewhere {
        @DistributedLock(name = "retuned", key = "#id", strategy = "row-lock")
        public void run(int id) {}
    }
}
