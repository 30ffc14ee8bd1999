package io.rowlock.client;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The first free one of several keys. */
abstract class AnyKeyContract extends ClientContract {
    private static final List<LockRequest> ABC =
            List.of(LockRequest.exclusive("a"), LockRequest.exclusive("b"), LockRequest.exclusive("c"));

    @Test
    void firstFreeKeyIsTaken() {
        HeldLock taken = rival.take("a");
        HeldLock lock = node.client.tryAcquireAny(ABC).orElseThrow();
        assertThat(lock.key()).isEqualTo("b");
        assertThat(rival.canTake("b")).isFalse();
        assertThat(rival.canTake("c")).isTrue();
        lock.close();
        assertThat(rival.canTake("b")).isTrue();
        taken.close();
    }

    @Test
    void whatTheThreadOrAnotherOneOfTheNodeHoldsIsNotFree() throws Exception {
        HeldLock own = node.client.tryAcquireAny(ABC).orElseThrow();
        HeldLock others =
                Other.does(() -> node.client.tryAcquireAny(ABC).orElseThrow()).get();
        HeldLock last = node.client.tryAcquireAny(ABC).orElseThrow();
        assertThat(List.of(own.key(), others.key(), last.key())).containsExactly("a", "b", "c");
        assertThat(node.client.tryAcquireAny(ABC)).isEmpty();
        others.close();
        assertThat(node.client.tryAcquireAny(ABC).orElseThrow().key()).isEqualTo("b");
    }

    @Test
    void nothingIsWaitedFor() {
        HeldLock taken = rival.take("a", "b", "c");
        List<LockRequest> patient =
                ABC.stream().map(request -> request.withWaitTime(ofSeconds(60))).toList();
        assertThat(node.client.tryAcquireAny(patient)).isEmpty();
        taken.close();
    }

    @Test
    void nothingIsTakenIfARequestIsWrong() {
        List<LockRequest> wrong =
                List.of(LockRequest.exclusive("a"), LockRequest.exclusive("b").withStrategy("none"));
        assertThatThrownBy(() -> node.client.tryAcquireAny(wrong)).isInstanceOf(IllegalArgumentException.class);
        assertThat(table.isFree("a")).isTrue();
    }

    @Test
    void outageIsNotReportedAsTaken() {
        table.hide();
        try {
            assertThatThrownBy(() -> node.client.tryAcquireAny(ABC)).isInstanceOf(LockStoreException.class);
        } finally {
            table.unhide();
        }
    }

    @Test
    void nodesShareOutPartitionsAndTakeOverWhatOneLeaves() {
        List<LockRequest> partitions = IntStream.range(0, 16)
                .mapToObj(number -> LockRequest.exclusive("partition:" + number))
                .toList();
        Node third = newNode("third");
        List<String> claimed = new ArrayList<>();
        for (int claim = 0; claim < 16; claim++) {
            Node claiming = List.of(node, rival, third).get(claim % 3);
            claimed.add(claiming.client.tryAcquireAny(partitions).orElseThrow().key());
        }
        assertThat(claimed).doesNotHaveDuplicates().hasSize(16);
        assertThat(node.client.tryAcquireAny(partitions)).isEmpty();
        third.close();
        List<String> freed = new ArrayList<>();
        Optional<HeldLock> next = node.client.tryAcquireAny(partitions);
        while (next.isPresent()) {
            freed.add(next.get().key());
            next = (freed.size() % 2 == 0 ? node : rival).client.tryAcquireAny(partitions);
        }
        assertThat(freed).hasSize(5);
    }
}
