package io.rowlock.client;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A writer that goes on as a reader. */
abstract class DowngradeContract extends TwoNodes {
    private boolean canRead(LockNode other) {
        Optional<HeldLock> lock = other.client.tryAcquire(LockRequest.shared("a"));
        lock.ifPresent(HeldLock::close);
        return lock.isPresent();
    }

    @Test
    void readerGoesOnBesideOtherReadersAndKeepsWritersOut() {
        HeldLock writer = node.take("a");
        HeldLock reader = node.read("a");
        assertThat(canRead(rival)).isFalse();
        writer.close();
        assertThat(writer.isHeld()).isFalse();
        assertThat(reader.isHeld()).isTrue();
        assertThat(reader.fencingToken()).isGreaterThanOrEqualTo(writer.fencingToken());
        assertThat(canRead(rival)).isTrue();
        assertThat(rival.canTake("a")).isFalse();
        reader.close();
        assertThat(rival.canTake("a")).isTrue();
        assertThat(node.use().leases()).isZero();
        assertThat(node.use().queues()).isZero();
        assertThat(node.use().threads()).isZero();
    }

    @Test
    void noWriterEntersBetween() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        List<Other<Boolean>> writers = new ArrayList<>();
        for (LockNode mine : List.of(node, rival, rival)) {
            writers.add(Other.does(() -> {
                while (!over.get()) {
                    mine.client.execute(LockRequest.exclusive("a").withWaitTime(ofSeconds(30)), () -> {
                        table.setBalance(table.balance() + 1);
                    });
                }
                return true;
            }));
        }
        for (int round = 0; round < 25; round++) {
            HeldLock writer = node.client.acquire(LockRequest.exclusive("a").withWaitTime(ofSeconds(30)));
            int written = table.balance();
            HeldLock reader = node.read("a");
            writer.close();
            for (int look = 0; look < 4; look++) {
                assertThat(table.balance()).isEqualTo(written);
            }
            assertThat(reader.isHeld()).isTrue();
            reader.close();
        }
        over.set(true);
        for (Other<Boolean> writer : writers) {
            assertThat(writer.get()).isTrue();
        }
        assertThat(table.balance()).isPositive();
    }

    @Test
    void lostWriterIsNoReader() {
        HeldLock writer = node.take("a");
        HeldLock reader = node.read("a");
        table.forceRelease("a");
        try (HeldLock successor = rival.take("a")) {
            writer.close();
            assertThat(reader.isHeld()).isFalse();
            assertThat(successor.isHeld()).isTrue();
            assertThat(table.live("a")).isEqualTo(1);
        }
        await().until(() -> node.count(LockEvent.Type.LOST, "a") == 1);
        reader.close();
        assertThat(node.use().leases()).isZero();
    }

    @Test
    void answerThatComesAfterTheDeadlineDoesNotBringALostLockBack() {
        HeldLock writer = node.client.acquire(LockRequest.exclusive("a").withRenewal(false));
        HeldLock reader = node.read("a");
        node.store.downgrading = (lease, real) -> {
            var answer = real.call(lease);
            node.pause(ofSeconds(31));
            return answer;
        };
        writer.close();
        assertThat(reader.isHeld()).isFalse();
        reader.close();
        await().untilAsserted(() -> assertThat(table.live("a")).isZero());
    }

    @Test
    void downgradeThatFailsLeavesTheLockExclusive() {
        node.store.downgrading = (lease, real) -> {
            throw new LockStoreException("no", null);
        };
        HeldLock writer = node.take("a");
        HeldLock reader = node.read("a");
        writer.close();
        assertThat(reader.isHeld()).isTrue();
        assertThat(canRead(rival)).isFalse();
        reader.close();
        assertThat(rival.canTake("a")).isTrue();
    }

    @Test
    void extendedTtlIsKept() {
        HeldLock writer = node.client.acquire(LockRequest.exclusive("a").withRenewal(false));
        HeldLock reader = node.read("a");
        writer.extend(ofMinutes(5));
        writer.close();
        assertThat(table.millisLeft("a")).isGreaterThan(240_000);
        assertThat(reader.remaining()).isGreaterThan(ofMinutes(4));
        reader.close();
    }

    @Test
    void readerThatCameOfAWriterIsRenewed() {
        HeldLock writer = node.take("a");
        HeldLock reader = node.read("a");
        writer.close();
        table.shorten("a", ofSeconds(20));
        node.pause(ofSeconds(11));
        reader.onLost(event -> {});
        reader.extend(ofSeconds(30));
        assertThat(table.millisLeft("a")).isGreaterThan(25_000);
        reader.close();
    }

    @Test
    void minimumOfTheWriterIsKept() {
        HeldLock writer = node.client.acquire(LockRequest.exclusive("a").withHoldAtLeast(ofSeconds(20)));
        HeldLock reader = node.read("a");
        writer.close();
        assertThat(reader.isHeld()).isTrue();
        assertThat(canRead(rival)).isFalse();
        reader.close();
        assertThat(canRead(rival)).isFalse();
        assertThat(table.millisLeft("a")).isLessThanOrEqualTo(20_000);
    }

    @Test
    void upgradeFailsAtOnceAndSaysWhy() {
        HeldLock writer = node.take("a");
        HeldLock reader = node.read("a");
        writer.close();
        int calls = node.store.calls.get();
        assertThatIllegalStateException()
                .isThrownBy(() -> node.take("a"))
                .withMessageContaining("\"a\"")
                .withMessageContaining("would wait for each other");
        assertThat(node.store.calls).hasValue(calls);
        assertThat(reader.isHeld()).isTrue();
        reader.close();
    }
}
