package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.test.TestSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The first free one of several row locks, for the threads of several nodes. */
abstract class RowAnyKeyContract {
    private final List<LockRequest> partitions = IntStream.range(0, 16)
            .mapToObj(number -> LockRequest.exclusive(UUID.randomUUID() + ":" + number))
            .toList();

    private RowNode node;
    private RowNode rival;

    @BeforeEach
    void start(TestSchema schema) {
        node = new RowNode(schema, "node");
        rival = new RowNode(schema, "rival");
    }

    @AfterEach
    void stop() {
        node.close();
        rival.close();
    }

    private static String key(LockRequest request) {
        return request.keys().get(0);
    }

    @Test
    void oneQuestionBringsTheFirstFreeKeyWhichIsAnOrdinaryLock() {
        HeldLock taken = rival.client.acquire(partitions.get(0));
        HeldLock lock = node.client.tryAcquireAny(partitions).orElseThrow();
        assertThat(node.store.calls.get()).isOne();
        assertThat(lock.key()).isEqualTo(key(partitions.get(1)));
        assertThat(lock.isHeld()).isTrue();
        assertThat(node.client.leases()).isOne();
        assertThat(rival.client.tryAcquire(partitions.get(1))).isEmpty();
        lock.close();
        assertThat(node.client.leases()).isZero();
        assertThat(node.client.lines()).isZero();
        rival.client.acquire(partitions.get(1)).close();
        taken.close();
    }

    @Test
    void threadsOfTwoNodesGetEachKeyOnce() throws Exception {
        List<Other<List<HeldLock>>> claims = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            RowNode claiming = i % 2 == 0 ? node : rival;
            claims.add(Other.does(() -> claimAll(claiming)));
        }
        List<HeldLock> claimed = new ArrayList<>();
        for (Other<List<HeldLock>> claim : claims) {
            claimed.addAll(claim.get());
        }
        claimed.addAll(claimAll(node)); // what two threads of a node asked for at the same time
        assertThat(claimed).extracting(HeldLock::key).doesNotHaveDuplicates().hasSize(16);
        assertThat(claimed).allMatch(HeldLock::isHeld);
        claimed.forEach(HeldLock::close);
        assertThat(node.client.lines() + rival.client.lines()).isZero();
        assertThat(node.client.leases() + rival.client.leases()).isZero();
    }

    private List<HeldLock> claimAll(RowNode claiming) {
        List<HeldLock> claimed = new ArrayList<>();
        Optional<HeldLock> next = claiming.client.tryAcquireAny(partitions);
        while (next.isPresent()) {
            claimed.add(next.get());
            next = claiming.client.tryAcquireAny(partitions);
        }
        return claimed;
    }

    @Test
    void closedNodeLeavesItsKeysToOthers() {
        assertThat(claimAll(node)).hasSize(16);
        assertThat(rival.client.tryAcquireAny(partitions)).isEmpty();
        node.client.close();
        assertThat(claimAll(rival)).hasSize(16);
    }

    @Test
    void outageIsNotReportedAsTaken() {
        node.sessions.close();
        assertThatThrownBy(() -> node.client.tryAcquireAny(partitions)).isInstanceOf(LockStoreException.class);
        assertThat(node.client.lines()).isZero();
    }
}
