package io.rowlock.client;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The first free one of several keys. */
abstract class AnyKeyContract extends TwoNodes {
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
    void keyBehindOneThatIsReadIsTaken() {
        HeldLock read = rival.read("a");
        HeldLock lock = node.client.tryAcquireAny(ABC).orElseThrow();
        assertThat(lock.key()).isEqualTo("b");
        assertThat(table.isFree("c")).isTrue();
        lock.close();
        read.close();
        assertThat(node.client.tryAcquireAny(ABC).orElseThrow().key()).isEqualTo("a");
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
    void ofNoRequestsNoneIsFree() {
        int calls = node.store.calls.get();
        assertThat(node.client.tryAcquireAny(List.of())).isEmpty();
        assertThat(node.store.calls.get()).isEqualTo(calls);
    }

    @Test
    void requestThatComesTwiceIsTakenOnce() {
        HeldLock taken = rival.take("a");
        List<LockRequest> twice = List.of(ABC.get(0), ABC.get(0), ABC.get(1), ABC.get(1), ABC.get(2));
        assertThat(node.client.tryAcquireAny(twice).orElseThrow().key()).isEqualTo("b");
        assertThat(node.client.tryAcquireAny(twice).orElseThrow().key()).isEqualTo("c");
        assertThat(node.client.tryAcquireAny(twice)).isEmpty();
        taken.close();
    }

    @Test
    void lockLastsForTheTtlOfItsOwnRequest() {
        HeldLock taken = rival.take("a");
        List<LockRequest> mixed =
                List.of(ABC.get(0).withTtl(ofSeconds(30)), ABC.get(1).withTtl(ofMinutes(15)), ABC.get(2));
        HeldLock lock = node.client.tryAcquireAny(mixed).orElseThrow();
        assertThat(lock.key()).isEqualTo("b");
        assertThat(lock.remaining()).isBetween(ofMinutes(10), ofMinutes(15));
        taken.close();
    }

    @Test
    void allKeysOfARequestAreTakenOrNone() {
        HeldLock taken = rival.take("b");
        List<LockRequest> pairs = List.of(LockRequest.exclusive("a", "b"), LockRequest.exclusive("c", "d"));
        HeldLock lock = node.client.tryAcquireAny(pairs).orElseThrow();
        assertThat(rival.canTake("a")).isTrue();
        assertThat(rival.canTake("c") || rival.canTake("d")).isFalse();
        lock.close();
        assertThat(rival.canTake("c") && rival.canTake("d")).isTrue();
        taken.close();
    }

    @Test
    void requestToReadIsServedBesideOtherReaders() {
        HeldLock written = rival.take("a");
        HeldLock read = rival.read("b");
        List<LockRequest> wanted =
                List.of(LockRequest.shared("a"), LockRequest.exclusive("b"), LockRequest.shared("b"));
        HeldLock lock = node.client.tryAcquireAny(wanted).orElseThrow();
        assertThat(lock.key()).isEqualTo("b");
        assertThat(lock.mode()).isEqualTo(LockMode.SHARED);
        read.close();
        assertThat(rival.canTake("b")).isFalse();
        written.close();
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
        LockNode third = newNode("third");
        List<String> claimed = new ArrayList<>();
        for (int claim = 0; claim < 16; claim++) {
            LockNode claiming = List.of(node, rival, third).get(claim % 3);
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
