package io.rowlock.client.transaction;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Which thread may open a transaction for a key. */
class LocalTurnsTests {
    private final LocalTurns turns = new LocalTurns();

    @Test
    void turnEndsForTheNext() throws Exception {
        Runnable first = turns.await("a", 0);
        assertThat(first).isNotNull();
        assertThat(turns.await("a", 0)).isNull();
        assertThat(turns.await("b", 0)).as("another key").isNotNull();
        first.run();
        assertThat(turns.await("a", 0)).isNotNull();
    }

    @Test
    void turnEndsOnce() throws Exception {
        Runnable first = turns.await("a", 0);
        first.run();
        Runnable second = turns.await("a", 0);
        first.run();
        assertThat(turns.await("a", 0)).as("while the second has it").isNull();
        second.run();
    }

    @Test
    void nothingIsKeptOfAKeyThatIsNotUsed() throws Exception {
        Runnable turn = turns.await("a", 0);
        assertThat(turns.await("a", 1)).isNull();
        assertThat(turns.queues).hasSize(1);
        turn.run();
        assertThat(turns.queues).isEmpty();
    }

    @Test
    void threadsHaveTheirTurnsInTheOrderInWhichTheyCame() throws Exception {
        Runnable first = turns.await("a", 0);
        List<Integer> order = new CopyOnWriteArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            threads.add(waiter(() -> {
                Runnable own = turns.await("a", MINUTES.toNanos(1));
                order.add(number);
                own.run();
            }));
        }
        first.run();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(order).containsExactly(0, 1, 2, 3, 4);
        assertThat(turns.queues).isEmpty();
    }

    @Test
    void interruptedWaiterLeaves() throws Exception {
        Runnable first = turns.await("a", 0);
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        Thread waiter = waiter(() -> assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> turns.await("a", MINUTES.toNanos(1)))
                .satisfies(thrown::add));
        waiter.interrupt();
        waiter.join();
        assertThat(thrown).hasSize(1);
        first.run();
        assertThat(turns.queues).isEmpty();
    }

    private interface Work {
        void run() throws Exception;
    }

    /** A thread that waits already. */
    private static Thread waiter(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        return thread;
    }
}
