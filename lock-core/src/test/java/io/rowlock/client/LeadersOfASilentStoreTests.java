package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockStoreException;
import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderRole;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
    private final LeaderElections elections = new LeaderElections(client, List.of());
    private final CountDownLatch silence = new CountDownLatch(1);
    private volatile long silentSeconds = 2;
    private final List<LeaderElection> roles = Stream.of("a", "b", "c", "d", "e")
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

    /** Its rounds have ended, so nothing is left that would release them. */
    @Test
    void whatAClosedElectionCouldNotReleaseIsNotRenewed() {
        elections.close();
        long renewals = store.renewals();
        await().atMost(Duration.ofSeconds(40)).until(() -> client.use().leases() == 0);
        assertThat(store.renewals()).isEqualTo(renewals);
    }
}
