package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.LockRequest;
import io.rowlock.client.lock.Use;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** One process of an application, as far as locks go: a client with an owner and a store of its own. */
public class LockNode implements AutoCloseable {
    final ScriptedStore store;
    final List<LockEvent> events = new CopyOnWriteArrayList<>();
    public final RowlockClient client;

    /** How far the node's clock is ahead of the machine's: a pause that takes no time. */
    final AtomicLong clockAhead = new AtomicLong();

    /** What happens right before a thread of the node looks at its clock. */
    volatile Runnable beforeClockRead = () -> {};

    public LockNode(LockStore real, String owner, LockLog log, Handoff handoff, LockListener... listeners) {
        store = new ScriptedStore(real);
        List<LockListener> all = new ArrayList<>(List.of(new PromptListener(events::add)));
        all.addAll(Arrays.asList(listeners));
        client = RowlockClient.builder(store)
                .strategy(real.strategy())
                .owner(owner)
                .handoff(handoff)
                .listeners(all)
                .log(log)
                .ticker(this::time)
                .build();
    }

    private long time() {
        beforeClockRead.run();
        return System.nanoTime() + clockAhead.get();
    }

    public HeldLock take(String... keys) {
        return client.acquire(LockRequest.exclusive(keys));
    }

    public HeldLock read(String key) {
        return client.acquire(LockRequest.shared(key));
    }

    Optional<HeldLock> tryTake(String key) {
        return client.tryAcquireReserved(LockRequest.exclusive(key));
    }

    /** Whether another node than this one's threads keeps the key from it. Takes and gives back. */
    public boolean canTake(String key) {
        Optional<HeldLock> lock = tryTake(key);
        lock.ifPresent(HeldLock::close);
        return lock.isPresent();
    }

    long count(LockEvent.Type type, String key) {
        return events.stream()
                .filter(event -> event.type() == type && event.key().equals(key))
                .count();
    }

    /** Returns what the node keeps at the moment. */
    Use use() {
        return Use.of(client.locks());
    }

    void pause(Duration time) {
        clockAhead.addAndGet(time.toNanos());
    }

    @Override
    public void close() {
        client.close();
    }
}
