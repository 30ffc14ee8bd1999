package io.rowlock.client.event;

import io.rowlock.client.event.LockInstrumentation.Holding;
import io.rowlock.client.event.LockInstrumentation.RenewalOutcome;
import io.rowlock.client.event.LockInstrumentation.Waiting;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a client's instrumentation, and keeps what it throws from the locks. Costs a comparison if there is none. */
public final class SafeInstrumentation {
    private static final Logger log = LoggerFactory.getLogger(SafeInstrumentation.class);

    private final LockInstrumentation told;
    private final boolean none;

    public SafeInstrumentation(LockInstrumentation told) {
        this.told = told;
        this.none = told == LockInstrumentation.NONE;
    }

    /** Whether there is nobody to tell. */
    public boolean isNone() {
        return none;
    }

    public Waiting waiting(ResolvedRequest terms) {
        return none ? Waiting.NONE : new SafeWaiting(asked(() -> told.waiting(terms.observed()), Waiting.NONE));
    }

    Holding holding(ResolvedRequest terms, long token) {
        return none ? Holding.NONE : new SafeHolding(asked(() -> told.holding(terms.observed(), token), Holding.NONE));
    }

    public void handedOn(ResolvedRequest terms) {
        if (!none) {
            safely(() -> told.handedOn(terms.observed()));
        }
    }

    public void renewal(String strategy, RenewalOutcome outcome, int leases, long nanos) {
        if (!none && leases > 0) {
            safely(() -> told.renewal(strategy, outcome, leases, Duration.ofNanos(nanos)));
        }
    }

    public void atRisk(ResolvedRequest terms) {
        if (!none) {
            safely(() -> told.atRisk(terms.observed()));
        }
    }

    public void lost(ResolvedRequest terms) {
        if (!none) {
            safely(() -> told.lost(terms.observed()));
        }
    }

    void abandoned(ResolvedRequest terms) {
        if (!none) {
            safely(() -> told.abandoned(terms.observed()));
        }
    }

    public void fenceRejected(ResolvedRequest terms) {
        if (!none) {
            safely(() -> told.fenceRejected(terms.observed()));
        }
    }

    private static <T> T asked(Supplier<T> question, T otherwise) {
        try {
            return question.get();
        } catch (RuntimeException | Error e) {
            log.warn("The instrumentation of locks failed", e);
            return otherwise;
        }
    }

    private static void safely(Runnable telling) {
        boolean unused = asked(
                () -> {
                    telling.run();
                    return true;
                },
                false);
    }

    private record SafeWaiting(Waiting told) implements Waiting {
        @Override
        public void acquired(long fencingToken) {
            safely(() -> told.acquired(fencingToken));
        }

        @Override
        public void busy() {
            safely(told::busy);
        }

        @Override
        public void interrupted() {
            safely(told::interrupted);
        }

        @Override
        public void failed(Throwable failure) {
            safely(() -> told.failed(failure));
        }
    }

    /** Whichever end comes first counts: a lost lock is closed all the same. */
    private static final class SafeHolding implements Holding {
        private final Holding told;
        private final AtomicBoolean over = new AtomicBoolean();

        SafeHolding(Holding told) {
            this.told = told;
        }

        @Override
        public void released() {
            end(told::released);
        }

        @Override
        public void lost() {
            end(told::lost);
        }

        @Override
        public void failed(Throwable failure) {
            end(() -> told.failed(failure));
        }

        private void end(Runnable telling) {
            if (over.compareAndSet(false, true)) {
                safely(telling);
            }
        }
    }
}
