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

/** Calls a client's instrumentation and logs what it throws, so that no lock is affected. Costs a comparison if there is none. */
public final class SafeInstrumentation {
    private static final Logger log = LoggerFactory.getLogger(SafeInstrumentation.class);

    private final LockInstrumentation instrumentation;
    private final boolean none;

    public SafeInstrumentation(LockInstrumentation instrumentation) {
        this.instrumentation = instrumentation;
        this.none = instrumentation == LockInstrumentation.NONE;
    }

    /** Whether nothing is measured. */
    public boolean isNone() {
        return none;
    }

    public Waiting waiting(ResolvedRequest request) {
        return none ? Waiting.NONE : waiting(observed(request));
    }

    public Waiting waiting(ObservedLock lock) {
        return none ? Waiting.NONE : new SafeWaiting(asked(() -> instrumentation.waiting(lock), Waiting.NONE));
    }

    public Holding holding(ResolvedRequest request, long token) {
        return none ? Holding.NONE : holding(observed(request), token);
    }

    public Holding holding(ObservedLock lock, long token) {
        return none ? Holding.NONE : new SafeHolding(asked(() -> instrumentation.holding(lock, token), Holding.NONE));
    }

    public void handedOn(ResolvedRequest request) {
        if (!none) {
            safely(() -> instrumentation.handedOn(observed(request)));
        }
    }

    public void renewal(String strategy, RenewalOutcome outcome, int leases, long nanos) {
        if (!none && leases > 0) {
            safely(() -> instrumentation.renewal(strategy, outcome, leases, Duration.ofNanos(nanos)));
        }
    }

    public void atRisk(ResolvedRequest request) {
        if (!none) {
            safely(() -> instrumentation.atRisk(observed(request)));
        }
    }

    public void lost(ResolvedRequest request) {
        if (!none) {
            safely(() -> instrumentation.lost(observed(request)));
        }
    }

    public void abandoned(ResolvedRequest request) {
        if (!none) {
            safely(() -> instrumentation.abandoned(observed(request)));
        }
    }

    public void fenceRejected(ResolvedRequest request) {
        if (!none) {
            safely(() -> instrumentation.fenceRejected(observed(request)));
        }
    }

    private static ObservedLock observed(ResolvedRequest request) {
        return new ObservedLock(
                request.name(),
                request.staticName(),
                request.mode(),
                request.store().strategy());
    }

    private static <T> T asked(Supplier<T> question, T otherwise) {
        try {
            return question.get();
        } catch (RuntimeException | Error e) {
            log.warn("The instrumentation of locks failed", e);
            return otherwise;
        }
    }

    private static void safely(Runnable call) {
        boolean unused = asked(
                () -> {
                    call.run();
                    return true;
                },
                false);
    }

    private record SafeWaiting(Waiting waiting) implements Waiting {
        @Override
        public void acquired(long fencingToken) {
            safely(() -> waiting.acquired(fencingToken));
        }

        @Override
        public void busy() {
            safely(waiting::busy);
        }

        @Override
        public void interrupted() {
            safely(waiting::interrupted);
        }

        @Override
        public void failed(Throwable failure) {
            safely(() -> waiting.failed(failure));
        }
    }

    /** The first end counts: a lost lock is closed as well. */
    private static final class SafeHolding implements Holding {
        private final Holding holding;
        private final AtomicBoolean over = new AtomicBoolean();

        SafeHolding(Holding holding) {
            this.holding = holding;
        }

        @Override
        public void released() {
            end(holding::released);
        }

        @Override
        public void lost() {
            end(holding::lost);
        }

        @Override
        public void failed(Throwable failure) {
            end(() -> holding.failed(failure));
        }

        private void end(Runnable call) {
            if (over.compareAndSet(false, true)) {
                safely(call);
            }
        }
    }
}
