package io.rowlock.sample.jobs;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.Sample;
import io.rowlock.sample.jobs.JobsController.Jobs;
import io.rowlock.sample.jobs.JobsController.Leader;
import io.rowlock.sample.jobs.JobsController.NightResult;
import io.rowlock.sample.sale.SaleResult;
import io.rowlock.sample.stage.NodeView;
import io.rowlock.sample.stage.Span;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;

/** What jobs and the leader show. */
public interface JobsChecks extends Sample {

    @Test
    default void anotherNodeLeadsWhenTheLeaderIsKilledPausedOrStopped() {
        String killed = leader();
        act(killed, "kill");
        await().atMost(ofSeconds(90)).until(() -> state(killed) == NodeView.State.DOWN);
        String second = leaderOtherThan(killed);
        act(second, "pause");
        String third = leaderOtherThan(second);
        assertThat(third).isNotEqualTo(killed);
        act(second, "resume");
        act(third, "stop");
        assertThat(leaderOtherThan(third)).isEqualTo(second);
        await().atMost(ofSeconds(20)).until(() -> state(third) == NodeView.State.DOWN); // 30 if it kept a lock
        assertThat(jobs().outOfTerm()).isZero();
        assertThat(jobs().byNode()).containsKey(killed);
    }

    @Test
    default void jobThatAFormerLeaderStillHasInHandIsNotHandedOut() {
        Leader former = await().atMost(ofMinutes(3))
                .until(this::leaderPausedWithAJobInHand, Optional::isPresent)
                .orElseThrow();
        long before = handedOut(former);
        String next = leaderOtherThan(former.node());
        await().atMost(ofSeconds(90))
                .until(() ->
                        number("SELECT COUNT(*) FROM sample_job WHERE node = ? AND term > ?", next, former.term()) > 0);

        act(former.node(), "resume");
        await().atMost(ofSeconds(90)).during(ofSeconds(1)).until(() -> handedOut(former) == before);
        assertThat(jobs().outOfTerm()).isZero();
    }

    @Test
    default void countsAJobThatWasHandedOutOutOfTerm() {
        await().atMost(ofSeconds(90)).until(() -> number("SELECT COUNT(*) FROM sample_job") > 0);
        long before = jobs().outOfTerm();
        change("INSERT INTO sample_job (node, term) VALUES ('former', 1)");
        assertThat(jobs().outOfTerm()).isEqualTo(before + 1);
        change("DELETE FROM sample_job WHERE node = 'former'");
    }

    @Test
    default void everyNightIsDoneByItselfAndOnce() {
        long now = Span.now();
        await().atMost(ofSeconds(90)).until(() -> number("SELECT COUNT(*) FROM sample_night WHERE night > ?", now) > 0);
        assertThat(number("SELECT COUNT(*) - COUNT(DISTINCT night) FROM sample_night WHERE night > ?", now))
                .isZero();
        await().atMost(ofSeconds(90))
                .untilAsserted(() -> assertThat(jobs().nightsByNode().values().stream()
                                .mapToLong(Integer::longValue)
                                .sum())
                        .isEqualTo(number("SELECT COUNT(*) FROM sample_night")));
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

    /** Pauses the leader when it has a job in hand; empty if it handed the job out before it stood still. */
    private Optional<Leader> leaderPausedWithAJobInHand() {
        Leader leader = leading();
        CompletableFuture<Long> paused = next(Dispatcher.COURIER_LEAVES, leader.node())
                .thenApply(job -> {
                    long before = handedOut(leader);
                    act(leader.node(), "pause");
                    return before;
                });
        long before = paused.orTimeout(90, TimeUnit.SECONDS).join();
        if (handedOut(leader) == before) {
            return Optional.of(leader);
        }
        act(leader.node(), "resume");
        return Optional.empty();
    }

    private long handedOut(Leader leader) {
        return number("SELECT COUNT(*) FROM sample_job WHERE node = ? AND term = ?", leader.node(), leader.term());
    }

    private String leader() {
        return leading().node();
    }

    private Leader leading() {
        return leadingOtherThan("nobody");
    }

    private String leaderOtherThan(String former) {
        return leadingOtherThan(former).node();
    }

    private Leader leadingOtherThan(String former) {
        return await().atMost(ofSeconds(90))
                .until(
                        this::jobs,
                        jobs -> jobs.leader() != null && !jobs.leader().node().equals(former))
                .leader();
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
