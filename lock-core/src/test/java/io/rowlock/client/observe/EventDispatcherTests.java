package io.rowlock.client.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.LockRequest;
import io.rowlock.client.PromptListener;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.SteeredStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners are on their own: no lock waits for one, or fails with it. */
@Timeout(60)
class EventDispatcherTests {
    private final SteeredStore store = new SteeredStore();

    private RowlockClient client(LockListener... listeners) {
        return RowlockClient.builder(store)
                .ttl(Duration.ofMinutes(10))
                .waitTime(Duration.ZERO)
                .listeners(List.of(listeners))
                .build();
    }

    /** Hears everything on its own thread, and waits there until it is let go on. */
    private static final class Slow implements LockListener {
        final CountDownLatch goOn = new CountDownLatch(1);
        final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(LockEvent event) {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            heard.add(event.type() + " " + event.key() + " on "
                    + Thread.currentThread().getName());
        }
    }

    @Test
    void blockedListenerHoldsUpNoLockAndHearsAllInOrder() {
        Slow slow = new Slow();
        try (RowlockClient client = client(slow)) {
            for (int i = 0; i < 3; i++) {
                client.acquire(LockRequest.exclusive("k" + i)).close();
            }
            assertThat(slow.heard).isEmpty();
            slow.goOn.countDown();
            await().until(() -> slow.heard.size() == 6);
        }
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            expected.add("ACQUIRED k" + i + " on rowlock-events");
            expected.add("RELEASED k" + i + " on rowlock-events");
        }
        assertThat(slow.heard).isEqualTo(expected);
    }

    @Test
    void listenerThatFallsBehindDropsEventsAndStillHoldsUpNoLock() {
        Slow slow = new Slow();
        try (RowlockClient client = client(slow)) {
            for (int i = 0; i < 6_000; i++) {
                client.acquire(LockRequest.exclusive("k")).close();
            }
            slow.goOn.countDown();
            await().until(() -> slow.heard.size() >= 10_000);
        }
        assertThat(slow.heard).hasSizeBetween(10_000, 10_001);
    }

    @Test
    void listenerThatDoesNotBlockIsToldInPlace() {
        List<String> threads = new ArrayList<>();
        LockListener prompt =
                new PromptListener(event -> threads.add(Thread.currentThread().getName()));
        try (RowlockClient client = client(prompt)) {
            client.acquire(LockRequest.exclusive("k")).close();
        }
        String here = Thread.currentThread().getName();
        assertThat(threads).containsExactly(here, here);
    }

    private static Set<Thread> threadsForEvents() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("rowlock-events"))
                .collect(Collectors.toCollection(HashSet::new));
    }

    @Test
    void refusalWakesNoThreadUnlessAListenerMayBlock() {
        List<String> heard = new ArrayList<>();
        LockListener prompt = new PromptListener(event ->
                heard.add(event.type() + " on " + Thread.currentThread().getName()));
        Slow slow = new Slow();
        slow.goOn.countDown();
        Set<Thread> before = threadsForEvents();
        try (RowlockClient holder = client();
                RowlockClient refused = client(prompt);
                RowlockClient heedful = client(slow)) {
            HeldLock held = holder.acquire(LockRequest.exclusive("k"));
            assertThat(refused.tryAcquire(LockRequest.exclusive("k"))).isEmpty();
            assertThat(heard)
                    .containsExactly("BUSY on " + Thread.currentThread().getName());
            Set<Thread> begun = threadsForEvents();
            begun.removeAll(before);
            assertThat(begun).isEmpty();
            assertThat(heedful.tryAcquire(LockRequest.exclusive("k"))).isEmpty();
            await().until(() -> slow.heard.equals(List.of("BUSY k on rowlock-events")));
            held.close();
        }
    }

    @Test
    void listenerThatThrowsHarmsNoLock() {
        List<LockEvent.Type> heard = new ArrayList<>();
        LockListener broken = new PromptListener(event -> {
            throw new IllegalStateException("broken");
        });
        LockListener sound = new PromptListener(event -> heard.add(event.type()));
        try (RowlockClient client = client(broken, sound)) {
            try (HeldLock lock = client.acquire(LockRequest.exclusive("k"))) {
                assertThat(lock.isHeld()).isTrue();
            }
        }
        assertThat(heard).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
    }

    @Test
    void lastEventsAreHeardWhenTheClientCloses() {
        Slow slow = new Slow();
        slow.goOn.countDown();
        RowlockClient client = client(slow);
        HeldLock left = client.acquire(LockRequest.exclusive("k"));
        assertThat(left.isHeld()).isTrue();
        left.close();
        client.close();
        assertThat(slow.heard).hasSize(2);
    }
}
