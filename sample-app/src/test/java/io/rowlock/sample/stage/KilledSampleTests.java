package io.rowlock.sample.stage;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.SampleProcess;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.TestSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A sample without a Redis, whose process is killed while nodes stand still. */
@OnServer
@DisabledOnOs(OS.WINDOWS)
@Tag("full")
class KilledSampleTests {

    @TempDir
    Path path;

    @Test
    void leavesNoProcessWhenItIsKilled(TestSchema schema) throws Exception {
        for (String program : List.of("sh", "sleep")) { // and no redis-server
            Files.createSymbolicLink(path.resolve(program), Path.of("/bin", program));
        }
        Map<String, String> settings = Map.of("PATH", path.toString(), "ROWLOCK_TEST_REDIS_SERVER", "");
        try (SampleProcess sample = SampleProcess.start(schema, settings)) {
            sample.awaitNodes();
            assertThat(sample.output())
                    .containsOnlyOnce("Strategy redis takes no part: redis-server is not installed, and "
                            + "SPRING_DATA_REDIS_URL names no server")
                    .doesNotContain("different strategies");
            List<Long> nodes = List.of(pause(sample, "node-1"), pause(sample, "node-2")); // one of them leads
            List<ProcessHandle> started = sample.process().descendants().toList();
            assertThat(started).extracting(ProcessHandle::pid).containsAll(nodes);
            sample.process().destroyForcibly();
            await().atMost(ofSeconds(30))
                    .untilAsserted(() -> assertThat(started).noneMatch(ProcessHandle::isAlive));
        }
    }

    private static long pause(SampleProcess sample, String node) {
        return sample.post("/nodes/%s/pause".formatted(node), NodeView.class).pid();
    }
}
