package io.rowlock.sample;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.test.TestSchema;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.simple.JdbcClient;

/** How the partitions move when workers come and go. */
abstract class ClusterContract {
    private static final Pace QUICK = new Pace(ofSeconds(2), ofMillis(100));

    private Cluster cluster;

    @BeforeEach
    void start(TestSchema schema) {
        cluster = new Cluster(details(schema), JdbcClient.create(schema.dataSource()), QUICK);
        cluster.start();
        awaitShares(6, Cluster.NAMES);
    }

    @AfterEach
    void stop() {
        cluster.destroy();
        assertThat(cluster.owners()).isEmpty();
    }

    private static JdbcConnectionDetails details(TestSchema schema) {
        return new JdbcConnectionDetails() {
            @Override
            public String getUsername() {
                return schema.username();
            }

            @Override
            public String getPassword() {
                return schema.password();
            }

            @Override
            public String getJdbcUrl() {
                return schema.jdbcUrl();
            }
        };
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(ofSeconds(30)).pollInterval(ofMillis(50));
    }

    /** Until these workers have all partitions, none of them more than its share, and the table says the same. */
    private void awaitShares(int most, List<String> names) {
        await().untilAsserted(() -> {
            AtomicInteger shared = new AtomicInteger();
            for (WorkerState worker : cluster.workers()) {
                if (names.contains(worker.name())) {
                    assertThat(worker.partitions())
                            .hasSizeLessThanOrEqualTo(most)
                            .isNotEmpty();
                    shared.addAndGet(worker.partitions().size());
                } else {
                    assertThat(worker.partitions()).isEmpty();
                }
            }
            assertThat(shared).hasValue(PartitionShare.PARTITIONS);
            assertThat(cluster.owners().values())
                    .hasSize(PartitionShare.PARTITIONS)
                    .allMatch(owner -> names.contains(owner.split("#", 2)[0]));
        });
    }

    private WorkerState coordinator() {
        return await().until(
                        () -> cluster.workers().stream()
                                .filter(WorkerState::leads)
                                .toList(),
                        all -> all.size() == 1)
                .get(0);
    }

    private static List<String> allBut(String name) {
        return Cluster.NAMES.stream().filter(other -> !other.equals(name)).toList();
    }

    @Test
    void deadWorkersPartitionsGoToTheOthersAndComeBackWithIt() {
        WorkerState victim = coordinator();
        cluster.kill(victim.name());
        assertThat(cluster.owners().values())
                .as("they are taken until the ttl is over")
                .anyMatch(owner -> owner.startsWith(victim.name() + "#"));
        awaitShares(8, allBut(victim.name()));
        WorkerState next = coordinator();
        assertThat(next.name()).isNotEqualTo(victim.name());
        assertThat(next.term()).isGreaterThan(victim.term());
        cluster.start(victim.name());
        awaitShares(6, Cluster.NAMES);
    }

    @Test
    void stoppedWorkersPartitionsAreFreeAtOnce() {
        WorkerState victim = coordinator();
        cluster.stop(victim.name());
        assertThat(cluster.owners().values()).noneMatch(owner -> owner.startsWith(victim.name() + "#"));
        awaitShares(8, allBut(victim.name()));
        assertThat(coordinator().term()).isGreaterThan(victim.term());
    }

    @Test
    void pausedWorkerKnowsThatItHasNothingAnyMore() {
        WorkerState victim = coordinator();
        cluster.pause(victim.name());
        awaitShares(8, allBut(victim.name()));
        assertThat(coordinator().name()).isNotEqualTo(victim.name());
        cluster.resume(victim.name());
        awaitShares(6, Cluster.NAMES);
    }

    @Test
    void unknownWorkerIsBadInput() {
        assertThatThrownBy(() -> cluster.start("worker-4")).isInstanceOf(BadInputException.class);
        assertThatThrownBy(() -> cluster.stop("worker-4")).isInstanceOf(BadInputException.class);
    }
}
