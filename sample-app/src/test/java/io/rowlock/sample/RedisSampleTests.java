package io.rowlock.sample;

import static io.rowlock.sample.Page.awaitRun;
import static io.rowlock.sample.Page.browser;
import static io.rowlock.sample.Page.click;
import static io.rowlock.sample.Page.count;
import static io.rowlock.sample.Page.find;
import static io.rowlock.sample.Page.fitsAPhone;
import static io.rowlock.sample.Page.keep;
import static io.rowlock.sample.Page.outcome;
import static io.rowlock.sample.Page.unfold;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.TestSchema;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** The sample beside a Redis, started as its users start it. */
@OnServer
@OnRedis
@Tag("full")
class RedisSampleTests {

    @Test
    void racesInRedisAndRefusesTheCommitOfALockThatIsLostThere(TestSchema schema, RedisServer redis) throws Exception {
        try (SampleProcess sample = SampleProcess.start(schema, Map.of("SPRING_DATA_REDIS_URL", redis.uri()))) {
            sample.awaitNodes();
            assertThat(sample.output()).doesNotContain("different strategies", "takes no part");
            assertRaces(sample.post("/race?millis=2000", JsonNode.class), sample.output());

            JsonNode run = sample.post("/pause?strategy=redis", JsonNode.class);
            assertRefused(run, 30_00);
            assertThat(run.path("sql").toString()).contains("ROLLBACK").doesNotContain("COMMIT", "rowlock_lock ");
            assertThat(JdbcClient.create(schema.dataSource())
                            .sql("SELECT COUNT(*) FROM rowlock_fence WHERE lock_key = ?")
                            .param(run.path("key").asString())
                            .query(Long.class)
                            .single())
                    .as("the second node's transaction has noted its token")
                    .isOne();
            if (Browser.isThere()) {
                assertShown(sample);
            }
        }
    }

    /** The second node's transaction waits for that of the first one, whose process stands still: nothing is paid out. */
    @Test
    void startsARedisThatIsInstalledAndSaysWhatTheFenceAtTheBeginDoes(TestSchema schema) throws Exception {
        assumeTrue(isInstalled(), "No redis-server on the path");
        try (SampleProcess sample = SampleProcess.start(schema, Map.of("ROWLOCK_REDIS_FENCE", "begin"))) {
            sample.awaitNodes();
            assertRefused(sample.post("/pause?strategy=redis", JsonNode.class), 0);
        }
    }

    private static void assertRaces(JsonNode results, String output) {
        List<String> strategies = results.valueStream()
                .map(result -> result.path("strategy").asString())
                .toList();
        assertThat(strategies).containsExactly("lease", "row-lock", "unique-key", "redis");
        JsonNode lane = results.path(3);
        assertThat(lane.path("nodes").asInt()).isEqualTo(2);
        assertThat(lane.path("handoffs").asInt()).as("%s; %s", lane, output).isPositive();
        assertThat(lane.path("overlaps").asInt()).isZero();
        assertThat(lane.path("sql")).isEmpty(); // what makes it differ from the others
    }

    private static void assertRefused(JsonNode run, int paidOut) {
        assertThat(run.path("refused").asBoolean()).isTrue();
        assertThat(run.path("sentence").asString())
                .contains(
                        "\"account-in-redis:%d\""
                                .formatted(run.path("accountId").asLong()),
                        "is lost");
        assertThat(run.path("consistent").asBoolean()).isTrue();
        assertThat(run.path("paidOut").asInt()).isEqualTo(paidOut);
        assertThat(run.path("balance").asInt()).isEqualTo(100_00 - paidOut);
    }

    private static void assertShown(SampleProcess sample) throws IOException {
        Page.open();
        try {
            browser().get(sample.address());
            await().atMost(ofSeconds(90)).until(() -> count("#race-bars .bar[data-strategy=redis]") == 2);
            await().atMost(ofSeconds(90)).until(() -> count("#pause-section [data-needs=redis]:not([hidden])") == 2);
            click("#pause button[data-strategy=redis]");
            assertThat(outcome("pause"))
                    .isEqualTo("The commit of node-1 was refused: 30.00 was paid out of 100.00, the balance is 70.00.");
            awaitRun("account-in-redis:" + find("#steps").getDomAttribute("data-account"));
            await().atMost(ofSeconds(90)).until(() -> count("#timeline .marks .strike") == 1);
            assertThat(unfold("pause-section", "The Java that does it")).contains("strategy = \"redis\"");
            keep("pause-redis", "#pause-section");
            fitsAPhone("pause-section");
        } finally {
            Page.close();
        }
    }

    private static boolean isInstalled() {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> new File(directory, "redis-server").canExecute());
    }
}
