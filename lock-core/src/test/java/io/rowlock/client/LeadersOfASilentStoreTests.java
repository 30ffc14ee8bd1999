package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.Use;
import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderRole;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that stops, leader of several roles, while its store is silent. */
@Timeout(60)
class LeadersOfASilentStoreTests {
    private static final Duration TTL = Duration.ofSeconds(9);

    private final SteeredStore store = new SteeredStore();
    private final RowlockClient client = RowlockClient.builder(store).build();
    private final LeaderElections elections = new LeaderElections(client, event -> {}, null);
    private final CountDownLatch silence = new CountDownLatch(1);
    private volatile long silentSeconds = 2;
    private final List<LeaderElection> roles = IntStream.range(0, 20)
            .mapToObj(Integer::toString)
            .map(name -> elections.join(LeaderRole.named(name).withTtl(TTL)))
            .toList();

    @BeforeEach
    void lead() {
        elections.start();
        await().until(() -> roles.stream().allMatch(LeaderElection::isLeader));
        store.releasing = () -> {
            try {
                boolean unused = silence.await(silentSeconds, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new LockStoreException("no answer", null);
        };
    }

    @AfterEach
    void close() {
        store.releasing = () -> {};
        silence.countDown();
        elections.close();
        client.close();
    }

    /** Its limit is three seconds, and a busy machine may add to them. */
    @Test
    void stoppingWaitsForNoneOfThemToTheEnd() {
        silentSeconds = 50;
        long start = System.nanoTime();
        elections.stop();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(40));
        assertThat(roles).noneMatch(LeaderElection::isLeader);
    }

    /** Of a role that it does not lead. Releases wait neither for that round nor for each other. */
    @Test
    void roundThatHangsHoldsUpNoRelease() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch releases = new CountDownLatch(roles.size());
        store.acquiring = () -> {
            asked.countDown();
            awaitAnswer(answer);
        };
        store.releasing = () -> {
            releases.countDown();
            awaitAnswer(answer);
        };
        elections.of("other");
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
        Thread stop = new Thread(elections::stop);
        stop.start();
        try {
            assertThat(releases.await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            answer.countDown();
            stop.join();
        }
        await().until(store::isFree);
    }

    private static void awaitAnswer(CountDownLatch answer) {
        try {
            boolean unused = answer.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void electionsThatAreClosedAgainDoNotWait() {
        elections.close();
        long best = LongStream.range(0, 3).map(time -> nanosOfClose()).min().orElseThrow();
        assertThat(Duration.ofNanos(best)).isLessThan(Duration.ofSeconds(2));
    }

    private long nanosOfClose() {
        long start = System.nanoTime();
        elections.close();
        return System.nanoTime() - start;
    }

    /** A leadership that was not released when they were closed is left to its ttl. */
    @Test
    void whatAClosedElectionCouldNotReleaseIsNotRenewed() {
        elections.close();
        long renewals = store.renewals();
        await().atMost(Duration.ofSeconds(40))
                .until(() -> Use.of(client.locks()).leases() == 0);
        assertThat(store.renewals()).isEqualTo(renewals);
    }

    /** Else the node would not lead any more, and keep others from it. */
    @Test
    void leadershipIsReleasedThoughItsEndCannotBeLogged() {
        store.releasing = () -> {};
        FullDisk.during(LeaderElection.class.getName(), Level.DEBUG, () -> {
            roles.get(0).yieldLeadership();
            elections.stop();
        });
        assertThat(Use.of(client.locks()).leases()).isZero();
    }
}
