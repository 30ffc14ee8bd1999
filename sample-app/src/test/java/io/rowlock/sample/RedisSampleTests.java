package io.rowlock.sample;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.node.NodeState;
import io.rowlock.sample.node.NodeView;
import io.rowlock.test.OnServer;
import io.rowlock.test.TestSchema;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.servlet.client.RestTestClient;
import tools.jackson.databind.JsonNode;

/** A sample that was given a Redis, started as its users start it. */
@OnServer
@OnRedis
class RedisSampleTests {
    /** With the fence at the begin, the second node would wait for the transaction of the one that stands still. */
    private static final Map<String, String> SETTINGS = Map.of(
            "SERVER_PORT", "0",
            "SAMPLE_NODES", "2",
            "ROWLOCK_LOCKS_ACCOUNT_STRATEGY", "redis",
            "ROWLOCK_REDIS_FENCE", "commit");

    @Test
    void racesWithRedisAndRefusesTheCommitOfALockThatIsLostThere(TestSchema schema, RedisServer redis)
            throws Exception {
        Map<String, String> environment = new HashMap<>(SETTINGS);
        environment.put("SPRING_DATASOURCE_URL", schema.jdbcUrl());
        environment.put("SPRING_DATASOURCE_USERNAME", schema.username());
        environment.put("SPRING_DATASOURCE_PASSWORD", schema.password());
        environment.put("SPRING_DATA_REDIS_URL", redis.uri());
        try (SampleProcess sample = SampleProcess.start(environment)) {
            RestTestClient http =
                    RestTestClient.bindToServer().baseUrl(sample.address()).build();
            await().atMost(ofSeconds(90))
                    .until(() -> Stream.of(views(http)).allMatch(node -> node.state() == NodeState.UP));
            assertRaces(post(http, "/race?millis=500"));
            assertRefused(post(http, "/pause?lock=true"));
        }
    }

    private static void assertRaces(JsonNode results) {
        List<String> strategies = results.valueStream()
                .map(result -> result.path("strategy").asString())
                .toList();
        assertThat(strategies).containsExactly("lease", "row-lock", "unique-key", "redis");
        JsonNode lane = results.path(3);
        assertThat(lane.path("nodes").asInt()).isEqualTo(2);
        assertThat(lane.path("handoffs").asInt()).isPositive();
        assertThat(lane.path("overlaps").asInt()).isZero();
        assertThat(lane.path("sql")).isEmpty(); // what makes it differ from the others
    }

    private static void assertRefused(JsonNode run) {
        assertThat(run.path("refused").asBoolean()).isTrue();
        assertThat(run.path("consistent").asBoolean()).isTrue();
        assertThat(run.path("sql").toString()).contains("rowlock_fence").doesNotContain("UPDATE rowlock_lock ");
    }

    private static NodeView[] views(RestTestClient http) {
        return http.get()
                .uri("/nodes")
                .exchange()
                .expectBody(NodeView[].class)
                .returnResult()
                .getResponseBody();
    }

    private static JsonNode post(RestTestClient http, String uri) {
        return http.post()
                .uri(uri)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(JsonNode.class)
                .returnResult()
                .getResponseBody();
    }
}
