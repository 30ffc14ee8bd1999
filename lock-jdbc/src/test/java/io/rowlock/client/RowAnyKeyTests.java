package io.rowlock.client;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.Use;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The first free one of several row locks, for the threads of several nodes. */
@OnEachServer
class RowAnyKeyTests {
    private final List<LockRequest> partitions = IntStream.range(0, 16)
            .mapToObj(number -> LockRequest.exclusive(UUID.randomUUID() + ":" + number))
            .toList();

    private RowNode node;
    private RowNode rival;

    private TestSchema schema;

    @BeforeEach
    void start(TestSchema given) {
        schema = given;
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
    void firstFreeKeyIsAnOrdinaryLock() {
        HeldLock taken = rival.client.acquire(partitions.get(0));
        HeldLock lock = node.client.tryAcquireAny(partitions).orElseThrow();
        assertThat(lock.key()).isEqualTo(key(partitions.get(1)));
        assertThat(lock.isHeld()).isTrue();
        assertThat(Use.of(node.client.locks()).leases()).isOne();
        assertThat(rival.client.tryAcquire(partitions.get(1))).isEmpty();
        lock.close();
        assertThat(Use.of(node.client.locks()).leases()).isZero();
        assertThat(Use.of(node.client.locks()).queues()).isZero();
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
        assertThat(Use.of(node.client.locks()).queues()
                        + Use.of(rival.client.locks()).queues())
                .isZero();
        assertThat(Use.of(node.client.locks()).leases()
                        + Use.of(rival.client.locks()).leases())
                .isZero();
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
    void ofNoRequestsNoneIsFree() {
        assertThat(node.client.tryAcquireAny(List.of())).isEmpty();
        assertThat(node.store.calls.get()).isZero();
    }

    @Test
    void requestThatComesTwiceIsTakenOnce() {
        HeldLock taken = rival.client.acquire(partitions.get(0));
        List<LockRequest> twice = List.of(partitions.get(0), partitions.get(0), partitions.get(1), partitions.get(1));
        assertThat(node.client.tryAcquireAny(twice).orElseThrow().key()).isEqualTo(key(partitions.get(1)));
        assertThat(node.client.tryAcquireAny(twice)).isEmpty();
        taken.close();
    }

    @Test
    void requestsThatDifferAreAskedForOneAfterAnother() {
        HeldLock taken = rival.client.acquire(partitions.get(0));
        HeldLock read = rival.client.acquire(LockRequest.shared(key(partitions.get(2))));
        List<LockRequest> different = List.of(
                partitions.get(0),
                LockRequest.exclusive(key(partitions.get(1)), key(partitions.get(2))),
                LockRequest.shared(key(partitions.get(2))),
                partitions.get(3).withTtl(ofMinutes(15)));
        HeldLock first = node.client.tryAcquireAny(different).orElseThrow();
        assertThat(first.key()).isEqualTo(key(partitions.get(2)));
        assertThat(first.mode()).isEqualTo(LockMode.SHARED);
        assertThat(rival.client.tryAcquire(partitions.get(1)))
                .as("not without the other one")
                .isPresent();
        assertThat(node.client.tryAcquireAny(different).orElseThrow().key()).isEqualTo(key(partitions.get(3)));
        assertThat(node.client.tryAcquireAny(different)).isEmpty();
        read.close();
        taken.close();
    }

    @Test
    void lockLastsForTheTtlOfItsOwnRequest() {
        HeldLock taken = rival.client.acquire(partitions.get(0));
        List<LockRequest> mixed =
                List.of(partitions.get(0), partitions.get(1).withTtl(ofMinutes(15)), partitions.get(2));
        HeldLock lock = node.client.tryAcquireAny(mixed).orElseThrow();
        assertThat(lock.key()).isEqualTo(key(partitions.get(1)));
        assertThat(lock.remaining()).isBetween(ofMinutes(10), ofMinutes(15));
        taken.close();
    }

    @Test
    void requestsOfTwoStrategiesAreTriedInTheirOrder() {
        LockRequest lease = LockRequest.exclusive(UUID.randomUUID().toString()).withStrategy(LeaseStore.NAME);
        List<LockRequest> mixed = List.of(partitions.get(0), lease, partitions.get(1));
        try (Node leases = new Node(schema, "leases");
                RowlockClient both =
                        RowlockClient.builder(node.store, leases.store).build()) {
            List<String> taken = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                taken.add(both.tryAcquireAny(mixed).orElseThrow().key());
            }
            assertThat(taken)
                    .containsExactlyElementsOf(
                            mixed.stream().map(RowAnyKeyTests::key).toList());
            assertThat(both.tryAcquireAny(mixed)).isEmpty();
            assertThat(leases.client.tryAcquire(lease)).isEmpty();
            assertThat(rival.client.tryAcquireAny(List.of(partitions.get(0), partitions.get(1))))
                    .isEmpty();
        }
    }

    @Test
    void outageIsNotReportedAsTaken() {
        node.sessions.close();
        assertThatThrownBy(() -> node.client.tryAcquireAny(partitions)).isInstanceOf(LockStoreException.class);
        assertThat(Use.of(node.client.locks()).queues()).isZero();
    }
}
