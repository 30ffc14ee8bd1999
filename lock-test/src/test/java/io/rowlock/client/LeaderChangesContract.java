package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.leader.LeaderRole;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Many forced changes among three nodes that share a clock. */
abstract class LeaderChangesContract extends ClientContract {
    private static final int CHANGES = Integer.getInteger("rowlock.test.leader-changes", 60);
    private static final LeaderRole ROLE =
            LeaderRole.named("scheduler").withTtl(ofSeconds(2)).withInterval(ofMillis(100));

    @Test
    void neverDoTwoLeadAndTermsGrow() throws Exception {
        List<Candidate> all = List.of(candidate(node), candidate(rival), candidate(newNode("third")));
        Watch watch = closing(new Watch(all));
        long last = 0;
        for (int change = 0; change < CHANGES; change++) {
            Candidate leader = awaitLeader(all);
            long term = leader.election.term();
            assertThat(term).isGreaterThan(last);
            last = term;
            disturb(leader, change);
            await().pollInterval(ofMillis(5)).until(() -> !leader.election.isLeader() || leader.election.term() > term);
        }
        assertThat(watch.looks.get()).isGreaterThan(CHANGES);
        assertThat(watch.overlaps.get()).isZero();
    }

    private Candidate candidate(Node on) {
        return closing(new Candidate(on, ROLE));
    }

    private static void disturb(Candidate leader, int change) {
        switch (change % 3) {
            case 0 -> leader.election.yieldLeadership();
            case 1 -> {
                leader.elections.stop();
                leader.elections.start();
            }
            default -> leader.node.pause(ROLE.ttl());
        }
    }

    private static Candidate awaitLeader(List<Candidate> all) {
        return await().pollInterval(ofMillis(5))
                .until(() -> leader(all), Optional::isPresent)
                .orElseThrow();
    }

    private static Optional<Candidate> leader(List<Candidate> all) {
        return all.stream().filter(one -> one.election.isLeader()).findFirst();
    }

    /** Looks all the time whether one leads while another does. */
    private static final class Watch implements AutoCloseable {
        final AtomicLong looks = new AtomicLong();
        final AtomicLong overlaps = new AtomicLong();
        private final List<Candidate> all;
        private final Thread thread = new Thread(this::run);
        private volatile boolean closed;

        Watch(List<Candidate> all) {
            this.all = all;
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            while (!closed) {
                leader(all).ifPresent(this::look);
                looks.incrementAndGet();
                LockSupport.parkNanos(50_000);
            }
        }

        /** One that leads before and after, in the same term, has led all the time between. */
        private void look(Candidate one) {
            long term = one.election.term();
            boolean before = one.election.isLeader();
            long others = all.stream()
                    .filter(other -> other != one && other.election.isLeader())
                    .count();
            boolean after = one.election.isLeader() && one.election.term() == term;
            if (before && after && others > 0) {
                overlaps.incrementAndGet();
            }
        }

        @Override
        public void close() throws InterruptedException {
            closed = true;
            thread.join();
        }
    }
}
