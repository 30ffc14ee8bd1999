package io.rowlock.client.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.client.Requests;
import io.rowlock.client.request.LockId;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LocalQueueTests {
    private static final long LONG = Duration.ofSeconds(30).toNanos();
    private static final ResolvedRequest WRITER = Requests.of("a", LockMode.EXCLUSIVE);
    private static final ResolvedRequest READER = Requests.of("a", LockMode.SHARED);

    private final AtomicReference<LockStoreException> lastOutage = new AtomicReference<>();
    private final LocalQueue line = new LocalQueue(lastOutage);

    private static <T> FutureTask<T> start(Callable<T> body) {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = new Thread(task, "in line");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    @Test
    void databaseThatAnsweredNobodyLastIsNotSilentlyTrusted() throws Exception {
        LockStoreException outage = new LockStoreException("off", null);
        new LocalQueue(lastOutage).failed(outage);
        assertThat(line.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.Turn.class);
        assertThat(line.enter(WRITER, 0)).isEqualTo(new LocalQueue.Admission.TimedOut(outage, null));
        new LocalQueue(lastOutage).answered();
        assertThat(line.enter(WRITER, 0)).isEqualTo(new LocalQueue.Admission.TimedOut(null, null));
    }

    @Test
    void firstHasTheTurnAndTheNextGetsItAfterwards() throws Exception {
        assertThat(line.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.Turn.class);
        assertThat(line.enter(WRITER, 0)).isEqualTo(new LocalQueue.Admission.TimedOut(null, null));
        FutureTask<LocalQueue.Admission> next = start(() -> line.enter(WRITER, LONG));
        assertThat(next.isDone()).isFalse();
        line.endTurn();
        assertThat(next.get()).isInstanceOf(LocalQueue.Admission.Turn.class);
    }

    @Test
    void timedOutSaysWhatTheOutageWas() throws Exception {
        assertThat(line.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.Turn.class);
        LockStoreException outage = new LockStoreException("off", null);
        line.failed(outage);
        assertThat(line.enter(WRITER, 1)).isEqualTo(new LocalQueue.Admission.TimedOut(outage, null));
        line.answered();
        assertThat(line.enter(WRITER, 1)).isEqualTo(new LocalQueue.Admission.TimedOut(null, null));
    }

    @Test
    void interruptedThreadLeavesTheLine() throws Exception {
        assertThat(line.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.Turn.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> line.enter(WRITER, LONG)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        line.endTurn();
        assertThat(line.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.Turn.class);
    }

    /** Time-outs, interrupts and turns at once: no turn is lost, and no two threads have one. */
    @Test
    void noTurnIsLostInTheRush() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger turns = new AtomicInteger();
        List<FutureTask<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(start(() -> {
                for (int round = 0; round < 2_000; round++) {
                    if (ThreadLocalRandom.current().nextInt(10) == 0) {
                        Thread.currentThread().interrupt();
                    }
                    rush(inside, turns);
                }
                return true;
            }));
        }
        for (FutureTask<Boolean> thread : threads) {
            assertThat(thread.get(50, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(turns.get()).isPositive();
        assertThat(line.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.Turn.class);
    }

    private void rush(AtomicInteger inside, AtomicInteger turns) {
        try {
            long patience = ThreadLocalRandom.current().nextLong(200_000);
            if (line.enter(WRITER, patience) instanceof LocalQueue.Admission.Turn) {
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                turns.incrementAndGet();
                inside.decrementAndGet();
                line.endTurn();
            }
        } catch (InterruptedException e) {
            turns.incrementAndGet();
        }
        boolean unused = Thread.interrupted();
    }

    @Test
    void lineNobodyUsesIsGone() {
        LocalQueues lines = new LocalQueues();
        for (int i = 0; i < 100_000; i++) {
            LockId id = new LockId("none", "key-" + i);
            LocalQueue first = lines.use(id);
            assertThat(lines.use(id)).isSameAs(first);
            lines.leave(id);
            assertThat(lines.size()).isEqualTo(1);
            lines.leave(id);
        }
        assertThat(lines.size()).isZero();
        await().until(() -> lines.size() == 0);
    }

    @Test
    void shutLineSendsEverybodyAwayUntilItIsOpened() throws Exception {
        assertThat(line.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.Turn.class);
        FutureTask<LocalQueue.Admission> waiter = start(() -> line.enter(WRITER, LONG));
        await().until(() -> line.waiting() == 2);
        line.shut(true);
        assertThat(waiter.get()).isEqualTo(new LocalQueue.Admission.Shut());
        assertThat(line.enter(READER, LONG)).isEqualTo(new LocalQueue.Admission.Shut());
        assertThat(line.waiting()).as("whoever has the turn").isOne();
        line.endTurn();
        assertThat(line.waiting()).isZero();
        line.shut(false);
        assertThat(line.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.Turn.class);
    }
}
