package io.rowlock.sample.pause;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.SampleProcess;
import io.rowlock.sample.node.NodeState;
import io.rowlock.sample.node.NodeView;
import io.rowlock.test.OnServer;
import io.rowlock.test.TestSchema;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.servlet.client.RestTestClient;

/** A sample on a system without signals, where the statements of a node stand still for it. */
@OnServer
class KilledSampleTests {

    @Test
    void refusesACommitWithoutSignalsAndLeavesNoProcessWhenItIsKilled(TestSchema schema) throws Exception {
        try (SampleProcess sample = start(schema)) {
            RestTestClient http =
                    RestTestClient.bindToServer().baseUrl(sample.address()).build();
            await().atMost(ofSeconds(90))
                    .until(() -> Stream.of(views(http)).allMatch(node -> node.state() == NodeState.UP));
            PauseResult run = post(http, "/pause?lock=true", PauseResult.class);
            assertThat(run.refused()).isTrue();
            assertThat(run.consistent()).isTrue();

            post(http, "/nodes/node-1/pause", NodeView.class);
            List<ProcessHandle> started = sample.process().descendants().toList();
            assertThat(started).hasSizeGreaterThanOrEqualTo(2).allMatch(ProcessHandle::isAlive);
            sample.process().destroyForcibly();
            await().atMost(ofSeconds(30))
                    .untilAsserted(() -> assertThat(started).noneMatch(ProcessHandle::isAlive));
        }
    }

    private static SampleProcess start(TestSchema schema) throws Exception {
        return SampleProcess.start(Map.of(
                "SPRING_DATASOURCE_URL",
                schema.jdbcUrl(),
                "SPRING_DATASOURCE_USERNAME",
                schema.username(),
                "SPRING_DATASOURCE_PASSWORD",
                schema.password(),
                "SERVER_PORT",
                "0",
                "SAMPLE_NODES",
                "2",
                "SAMPLE_PAUSE_BY_SIGNAL",
                "false"));
    }

    private static NodeView[] views(RestTestClient http) {
        return http.get()
                .uri("/nodes")
                .exchange()
                .expectBody(NodeView[].class)
                .returnResult()
                .getResponseBody();
    }

    private static <T> T post(RestTestClient http, String uri, Class<T> type) {
        return http.post()
                .uri(uri)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(type)
                .returnResult()
                .getResponseBody();
    }
}
