package io.rowlock.sample.pause;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.SampleProcess;
import io.rowlock.sample.stage.NodeView;
import io.rowlock.test.OnServer;
import io.rowlock.test.TestSchema;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A sample on a system without signals, where the statements of a node stand still for it, and without a Redis. */
@OnServer
class KilledSampleTests {
    private static final Map<String, String> SETTINGS =
            Map.of("SAMPLE_PAUSE_BY_SIGNAL", "false", "PATH", "/none", "ROWLOCK_TEST_REDIS_SERVER", "");

    @Test
    void refusesACommitWithoutSignalsAndLeavesNoProcessWhenItIsKilled(TestSchema schema) throws Exception {
        try (SampleProcess sample = SampleProcess.start(schema, SETTINGS)) {
            sample.awaitNodes();
            assertThat(sample.output())
                    .containsOnlyOnce("Strategy redis takes no part: redis-server is not installed, and "
                            + "SPRING_DATA_REDIS_URL names no server")
                    .doesNotContain("different strategies");
            PauseResult run = sample.post("/pause?lock=true", PauseResult.class);
            assertThat(run.refused()).isTrue();
            assertThat(run.consistent()).isTrue();

            sample.post("/nodes/node-1/pause", NodeView.class);
            sample.post("/nodes/node-2/pause", NodeView.class); // one of them leads
            List<ProcessHandle> started = sample.process().descendants().toList();
            assertThat(started).hasSize(2).allMatch(ProcessHandle::isAlive);
            sample.process().destroyForcibly();
            await().atMost(ofSeconds(30))
                    .untilAsserted(() -> assertThat(started).noneMatch(ProcessHandle::isAlive));
        }
    }
}
