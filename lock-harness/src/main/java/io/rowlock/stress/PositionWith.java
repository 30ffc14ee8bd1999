package io.rowlock.stress;

import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue.QueuePosition;
import java.time.Duration;
import java.util.function.BiFunction;

/** A place whose attempts a test has a hand in. */
public record PositionWith(QueuePosition place, BiFunction<LeaseRequest, QueuePosition, Attempt> attempt)
        implements QueuePosition {
    @Override
    public void await(Duration atMost) throws InterruptedException {
        place.await(atMost);
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        return attempt.apply(request, place);
    }

    @Override
    public void close() {
        place.close();
    }
}
