package io.rowlock.client.queue;

import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Attempt;
import io.rowlock.store.Backoff;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.QueueTicket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How whoever has the turn comes to a key: with a place in the line of all processes that want it, or, if there is none to
 * be had, by asking now and then. Used by one thread.
 */
final class Approach implements AutoCloseable {
    private final ResolvedRequest terms;
    private @Nullable QueueTicket place;

    Approach(ResolvedRequest terms) {
        this.terms = terms;
    }

    /** If the key was in demand a moment ago, going ahead would be jumping the queue. */
    void beginInLine(LeaseRequest request, Duration atMost) throws InterruptedException {
        if (terms.store().queue().isContended(terms.key())) {
            place = terms.store().queue().enqueue(request).orElse(null);
        }
        if (place != null) {
            place.await(atMost);
        }
    }

    Attempt tryAcquire(LeaseRequest request) {
        return place == null ? terms.store().tryAcquire(request) : place.tryAcquire(request);
    }

    /** Waits until it is worth trying. */
    void await(LeaseRequest request, Duration atMost) throws InterruptedException {
        if (place == null) {
            place = terms.store().queue().enqueue(request).orElse(null);
        }
        if (place == null) {
            Backoff.pauseAtRandom(atMost);
        } else {
            place.await(atMost);
        }
    }

    @Override
    public void close() {
        if (place != null) {
            place.close();
        }
    }
}
