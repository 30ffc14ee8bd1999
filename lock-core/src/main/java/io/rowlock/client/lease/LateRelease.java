package io.rowlock.client.lease;

import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The release of one lease that got no answer: it is repeated in the background until the database has answered or the lease
 * has expired. Thread-safe: {@code this} guards the actions; the lease is asked with it held, never the other way round.
 */
final class LateRelease {
    private final ResolvedRequest request;
    private final Ticker ticker;
    private final UncertainLeases uncertain;
    private final Runnable confirm;
    private final BooleanSupplier isConfirmed;
    private final List<Runnable> actions = new ArrayList<>();

    /**
     * @param confirm notes that the database has ended the lease
     * @param isConfirmed whether that is noted
     */
    LateRelease(
            ResolvedRequest request,
            Ticker ticker,
            UncertainLeases uncertain,
            Runnable confirm,
            BooleanSupplier isConfirmed) {
        this.request = request;
        this.ticker = ticker;
        this.uncertain = uncertain;
        this.confirm = confirm;
        this.isConfirmed = isConfirmed;
    }

    /**
     * Repeats the release. Before the deadline no other owner can have had the lease: if it is gone then, the call without an
     * answer has ended it.
     *
     * @param release releases the lease; false if it is gone
     * @param deadline until when no other owner can have it, by this process's clock
     * @param atMost for how long to repeat it
     */
    void repeat(BooleanSupplier release, long deadline, Duration atMost) {
        uncertain.add(
                request,
                () -> {
                    boolean early = deadline - ticker.nanoTime() > 0;
                    if (release.getAsBoolean() || early) {
                        confirmed();
                    }
                    return true;
                },
                atMost);
    }

    private void confirmed() {
        confirm.run();
        List<Runnable> waiting;
        synchronized (this) {
            waiting = List.copyOf(actions);
            actions.clear();
        }
        waiting.forEach(Runnable::run);
    }

    /** Calls {@code action} once the release is confirmed, at once if it is. */
    void onConfirmed(Runnable action) {
        synchronized (this) {
            if (!isConfirmed.getAsBoolean()) {
                actions.add(action);
                return;
            }
        }
        action.run();
    }
}
