package io.rowlock.sample.partitions;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.Sample;
import io.rowlock.sample.stage.NodeView;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How partitions move when nodes come and go. */
public interface PartitionChecks extends Sample {

    @Test
    default void partitionsOfANodeThatIsGoneAreSharedOutAndComeBackWithIt() {
        awaitShares(3, 6);
        act("kill");
        awaitShares(2, 8);
        await().atMost(ofSeconds(90)).until(() -> state("node-2") == NodeView.State.DOWN);
        act("start");
        awaitShares(3, 6);
    }

    private void act(String action) {
        post("/nodes/node-2/" + action, NodeView.class);
    }

    /** Until so many nodes have all partitions, none of them more than its share. */
    private void awaitShares(int nodes, int most) {
        await().atMost(ofSeconds(90)).untilAsserted(() -> {
            Map<?, ?> owners = http().get()
                    .uri("/partitions")
                    .exchange()
                    .expectBody(Map.class)
                    .returnResult()
                    .getResponseBody();
            assertThat(owners).hasSize(16);
            assertThat(owners.values().stream().distinct())
                    .hasSize(nodes)
                    .allSatisfy(node -> assertThat(Collections.frequency(owners.values(), node))
                            .isLessThanOrEqualTo(most));
        });
    }
}
