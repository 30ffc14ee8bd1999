package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.NoConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers of one process and of two, and the writers they must not starve. */
abstract class SharedLeaseContract extends TwoNodes {
    @Test
    void thirtyTwoReadersAreInsideTogether() throws Exception {
        CyclicBarrier inside = new CyclicBarrier(32);
        List<Other<Boolean>> readers = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            LockNode mine = i % 2 == 0 ? node : rival;
            readers.add(Other.does(() -> {
                try (HeldLock lock = mine.read("a")) {
                    inside.await(20, TimeUnit.SECONDS);
                    return lock.isHeld();
                }
            }));
        }
        for (Other<Boolean> reader : readers) {
            assertThat(reader.get()).isTrue();
        }
        assertThat(table.live("a")).isZero();
        assertThat(node.use().queues()).isZero();
        assertThat(node.use().leases()).isZero();
    }

    @Test
    void localReadersShareOneRowForAWhileAndThenAskAnew() throws Exception {
        node = newNode("readers", new Handoff(100, ofSeconds(12)));
        HeldLock first = node.read("a");
        HeldLock joined = Other.does(() -> node.read("a")).get();
        assertThat(table.live("a")).isEqualTo(1);
        node.pause(ofSeconds(13));
        HeldLock later = Other.does(() -> node.read("a")).get();
        assertThat(table.live("a")).isEqualTo(2);
        first.close();
        assertThat(table.live("a")).isEqualTo(2);
        joined.close();
        assertThat(table.live("a")).isEqualTo(1);
        later.close();
        assertThat(table.live("a")).isZero();
    }

    @Test
    void readerMakesTheSharedLeaseLongerAndNeverShorter() throws Exception {
        node = newNodeForReaders();
        try (HeldLock first = node.read("a");
                HeldLock joined = Other.does(() -> node.read("a")).get()) {
            joined.extend(ofSeconds(2));
            assertThat(first.remaining()).isGreaterThan(ofSeconds(10));
            joined.extend(ofSeconds(90));
            assertThat(first.remaining()).isGreaterThan(ofSeconds(60));
            joined.close();
            first.extend(ofSeconds(2));
            assertThat(first.remaining()).isGreaterThan(ofSeconds(60));
        }
    }

    @Test
    void readerWithAnotherTtlDoesNotJoin() throws Exception {
        try (HeldLock first = node.read("a");
                HeldLock other = Other.does(() ->
                                node.client.acquire(LockRequest.shared("a").withTtl(ofSeconds(9))))
                        .get()) {
            assertThat(first.remaining()).isGreaterThan(other.remaining());
            assertThat(table.live("a")).isEqualTo(2);
        }
    }

    /** @param where the writer's node: one of the readers', or another */
    @ParameterizedTest
    @ValueSource(strings = {"local", "remote"})
    void writerEntersUnderAConstantStreamOfReadersFromTwoNodes(String where) throws Exception {
        LockNode writers = where.equals("local") ? node : newNode("third");
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger inside = new AtomicInteger();
        List<Other<Integer>> readers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            LockNode mine = i % 2 == 0 ? node : rival;
            readers.add(Other.does(() -> {
                int read = 0;
                for (; !over.get(); read++) {
                    try (HeldLock lock =
                            mine.client.acquire(LockRequest.shared("a").withWaitTime(ofSeconds(30)))) {
                        inside.incrementAndGet();
                        Thread.sleep(lock.isHeld() ? 5 : 0); // the body
                        inside.decrementAndGet();
                    } catch (NoConnectionException e) {
                        // the pool still grows; the release is repeated
                    }
                }
                return read;
            }));
        }
        for (int i = 0; i < 3; i++) {
            try (HeldLock lock = writers.take("a")) {
                assertThat(lock.isHeld()).isTrue();
                assertThat(inside).hasValue(0);
            }
        }
        over.set(true);
        for (Other<Integer> reader : readers) {
            assertThat(reader.get()).isPositive();
        }
    }

    @Test
    void deadReaderHoldsAWriterUpForItsTtlAtMost() {
        HeldLock dead = rival.client.acquire(
                LockRequest.shared("a").withTtl(ofSeconds(1)).withRenewal(false));
        long start = System.nanoTime();
        try (HeldLock writer = node.take("a")) {
            assertThat(writer.isHeld()).isTrue();
            assertThat(dead.isHeld()).isFalse();
            assertThat(System.nanoTime() - start).isLessThan(ofSeconds(8).toNanos());
        }
    }

    @Test
    void writerThatGivesUpLetsReadersInAtOnce() throws Exception {
        try (HeldLock reader = node.read("a")) {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() ->
                            rival.client.acquire(LockRequest.exclusive("a").withWaitTime(ofMillis(100))))
                    .satisfies(busy -> assertThat(busy.holder()).contains("node"));
            LockNode third = newNode("third");
            assertThat(third.client.tryAcquire(LockRequest.shared("a"))).isPresent();
            assertThat(reader.isHeld()).isTrue();
        }
    }

    @Test
    void waitingWriterKeepsNewReadersOut() throws Exception {
        HeldLock reader = node.read("a");
        Other<HeldLock> writer = Other.does(() -> rival.take("a"));
        LockNode third = newNode("third");
        org.awaitility.Awaitility.await().until(() -> {
            var lock = third.client.tryAcquire(LockRequest.shared("a"));
            lock.ifPresent(HeldLock::close);
            return lock.isEmpty();
        });
        assertThat(writer.isDone()).isFalse();
        reader.close();
        writer.get().close();
    }

    @Test
    void lostLeaseIsLostForEveryReaderThatSharesIt() throws Exception {
        node = newNodeForReaders();
        HeldLock first = node.read("a");
        HeldLock second = Other.does(() -> node.read("a")).get();
        assertThat(node.use().leases()).isEqualTo(1);
        AtomicInteger told = new AtomicInteger();
        first.onLost(event -> told.incrementAndGet());
        second.onLost(event -> told.incrementAndGet());
        table.age("a");
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> first.extend(ofSeconds(30)));
        org.awaitility.Awaitility.await().until(() -> told.get() == 2);
        assertThat(first.isHeld() || second.isHeld()).isFalse();
        first.close();
        second.close();
        assertThat(node.use().leases()).isZero();
    }
}
