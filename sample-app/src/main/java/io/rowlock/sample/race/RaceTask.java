package io.rowlock.sample.race;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.sample.node.Outbox;
import io.rowlock.sample.node.Task;
import io.rowlock.sample.watch.SqlTrace;
import io.rowlock.sample.work.Span;
import io.rowlock.sample.work.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Takes one lock and gives it back, again and again, against the other nodes. */
@Component
@Profile("node")
class RaceTask implements Task<RaceOrder, RaceOrder.Done> {
    static final String PROGRESS = "race progress";

    private static final long TELL_EVERY_MICROS = 200_000;
    private static final int SOME_TURN = 20; // not the first, which finds no row of the key yet

    private final LockClient locks;
    private final Workers workers;
    private final Outbox outbox;

    RaceTask(LockClient locks, Workers workers, Outbox outbox) {
        this.locks = locks;
        this.workers = workers;
        this.outbox = outbox;
    }

    @Override
    public String name() {
        return "race";
    }

    @Override
    public Class<RaceOrder> input() {
        return RaceOrder.class;
    }

    @Override
    public RaceOrder.Done run(RaceOrder order) throws InterruptedException, ExecutionException {
        return workers.serve(1, runner -> race(order)).get(0);
    }

    private RaceOrder.Done race(RaceOrder order) {
        List<Span> turns = new ArrayList<>();
        SqlTrace sql = new SqlTrace();
        long end = Span.now() + TimeUnit.MILLISECONDS.toMicros(order.millis());
        long reported = Span.now();
        while (Span.now() < end) {
            turns.add(turns.size() == SOME_TURN ? sql.noting(() -> turn(order)) : turn(order));
            if (Span.now() - reported > TELL_EVERY_MICROS) {
                reported = Span.now();
                outbox.happened(PROGRESS, Map.of("strategy", order.strategy(), "turns", turns.size()));
            }
        }
        return new RaceOrder.Done(turns, sql.statements());
    }

    /** One turn: the lock is granted, and given back at once. */
    private Span turn(RaceOrder order) {
        LockRequest request = LockRequest.exclusive(order.key())
                .withStrategy(order.strategy())
                .withWaitTime(Duration.ofSeconds(20));
        try (HeldLock lock = locks.acquire(request)) {
            long granted = Span.now();
            lock.ensureHeld(Duration.ZERO);
            return Span.since(granted);
        }
    }
}
