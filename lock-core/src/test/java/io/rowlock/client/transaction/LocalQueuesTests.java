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
class LocalQueuesTests {
    private final LocalQueues queues = new LocalQueues();

    @Test
    void nextFollowsTheFirst() throws Exception {
        Runnable first = queues.await("a", 0);
        assertThat(first).isNotNull();
        assertThat(queues.await("a", 0)).isNull();
        assertThat(queues.await("b", 0)).as("another key").isNotNull();
        first.run();
        assertThat(queues.await("a", 0)).isNotNull();
    }

    @Test
    void firstLeavesOnce() throws Exception {
        Runnable first = queues.await("a", 0);
        first.run();
        Runnable second = queues.await("a", 0);
        first.run();
        assertThat(queues.await("a", 0)).as("while the second has it").isNull();
        second.run();
    }

    @Test
    void nothingIsKeptOfAKeyThatIsNotUsed() throws Exception {
        Runnable leave = queues.await("a", 0);
        assertThat(queues.await("a", 1)).isNull();
        assertThat(queues.byKey).hasSize(1);
        leave.run();
        assertThat(queues.byKey).isEmpty();
    }

    @Test
    void threadsFollowInTheOrderInWhichTheyCame() throws Exception {
        Runnable first = queues.await("a", 0);
        List<Integer> order = new CopyOnWriteArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            threads.add(waiter(() -> {
                Runnable own = queues.await("a", MINUTES.toNanos(1));
                order.add(number);
                own.run();
            }));
        }
        first.run();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(order).containsExactly(0, 1, 2, 3, 4);
        assertThat(queues.byKey).isEmpty();
    }

    @Test
    void interruptedWaiterLeaves() throws Exception {
        Runnable first = queues.await("a", 0);
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        Thread waiter = waiter(() -> assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> queues.await("a", MINUTES.toNanos(1)))
                .satisfies(thrown::add));
        waiter.interrupt();
        waiter.join();
        assertThat(thrown).hasSize(1);
        first.run();
        assertThat(queues.byKey).isEmpty();
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
