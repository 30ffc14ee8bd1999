package io.rowlock.sample;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.JobBooks.Jobs;
import io.rowlock.sample.JobsController.NightResult;
import io.rowlock.sample.node.NodeState;
import io.rowlock.sample.node.NodeView;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;

/** What jobs and the leader show. */
interface JobsChecks extends Sample {

    @Test
    default void anotherNodeLeadsWhenTheLeaderIsKilledPausedOrStopped() {
        String killed = leader();
        act(killed, "kill");
        await().atMost(ofSeconds(90)).until(() -> state(killed) == NodeState.DOWN);
        String second = leaderOtherThan(killed);
        act(second, "pause");
        String third = leaderOtherThan(second);
        assertThat(third).isNotEqualTo(killed);
        act(second, "resume");
        act(third, "stop");
        assertThat(leaderOtherThan(third)).isEqualTo(second);
        await().atMost(ofSeconds(90)).until(() -> state(third) == NodeState.DOWN);
        assertThat(jobs().outOfTerm()).isZero();
        assertThat(jobs().byNode()).containsKey(killed);
    }

    @Test
    default void oneNodeDoesTheJobOfTheNight() {
        await().atMost(ofSeconds(90)).untilAsserted(() -> {
            NightResult night = post("/nightly", NightResult.class); // skipped for two seconds after the last one
            assertThat(night.started()).isEqualTo(3);
            assertThat(night.ran()).hasSize(1);
            assertThat(night.rows()).isEqualTo(1);
            assertThat(number("SELECT COUNT(*) FROM sample_night WHERE night = ?", night.night()))
                    .isEqualTo(1);
        });
    }

    @Test
    default void refusesWhatANodeCannotDoAsItIs() {
        assertThat(refusal("/nodes/node-1/resume", HttpStatus.CONFLICT))
                .isEqualTo("node-1 is up and cannot be resumed.");
        assertThat(refusal("/nodes/node-1/start", HttpStatus.CONFLICT))
                .isEqualTo("node-1 is up and cannot be started.");
    }

    @Test
    default void saysHowManyNodesAreMissing() {
        act("node-3", "pause");
        long before = number("SELECT COUNT(*) FROM sample_item");
        assertThat(refusal("/sale?nodes=3", HttpStatus.CONFLICT))
                .isEqualTo("This takes 3 nodes that are up, but there are 2: start one, or resume it.");
        assertThat(number("SELECT COUNT(*) FROM sample_item")).isEqualTo(before);
        assertThat(post("/sale?nodes=2&buyers=2&stock=2", SaleResult.class).sold())
                .isEqualTo(2);
    }

    private String leader() {
        return leaderOtherThan("nobody");
    }

    private String leaderOtherThan(String former) {
        return await().atMost(ofSeconds(90))
                .until(
                        this::jobs,
                        jobs -> jobs.leader() != null && !jobs.leader().node().equals(former))
                .leader()
                .node();
    }

    private Jobs jobs() {
        return http().get()
                .uri("/jobs")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(Jobs.class)
                .returnResult()
                .getResponseBody();
    }

    private void act(String node, String action) {
        post("/nodes/%s/%s".formatted(node, action), NodeView.class);
    }
}
