package io.rowlock.client.event;

import io.rowlock.LockEvent;
import io.rowlock.client.event.LockInstrumentation.Holding;
import io.rowlock.client.event.LockInstrumentation.RenewalOutcome;
import io.rowlock.client.event.LockInstrumentation.Waiting;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the log, the meters and the listeners of a client, in this order, what happens to its locks. What one of them throws is
 * logged and harms neither the lock nor the others. Thread-safe.
 */
public final class Observers implements LockObserver {
    private static final Logger logger = LoggerFactory.getLogger(Observers.class);

    private final Ticker ticker;
    private final EventDispatcher events;
    private final List<LockObserver> all;

    /** @param ticker the client's clock */
    public Observers(Ticker ticker, LockLog log, LockInstrumentation meters, EventDispatcher events) {
        this.ticker = ticker;
        this.events = events;
        List<LockObserver> observers = new ArrayList<>(3);
        if (log != LockLog.NONE) {
            observers.add(new LogObserver(log));
        }
        if (meters != LockInstrumentation.NONE) {
            observers.add(new MeterObserver(meters));
        }
        observers.add(new EventObserver(events));
        this.all = List.copyOf(observers);
    }

    public Ticker ticker() {
        return ticker;
    }

    /** Calls one action on a thread for events. */
    public void callLater(LockEvent event, Consumer<LockEvent> action) {
        events.callLater(event, action);
    }

    private static <T> void tell(List<T> observers, Consumer<T> report) {
        for (T observer : observers) {
            try {
                report.accept(observer);
            } catch (RuntimeException | Error e) {
                logger.warn("An observer of locks failed", e);
            }
        }
    }

    @Override
    public Wait asking(ObservedLock lock) {
        List<Wait> waits = new ArrayList<>(all.size());
        tell(all, observer -> waits.add(observer.asking(lock)));
        return new Waits(waits);
    }

    @Override
    public void handedOn(ObservedLock lock) {
        tell(all, observer -> observer.handedOn(lock));
    }

    @Override
    public void atRisk(LockEvent event, ObservedLock lock) {
        tell(all, observer -> observer.atRisk(event, lock));
    }

    @Override
    public void lost(LockEvent event, ObservedLock lock) {
        tell(all, observer -> observer.lost(event, lock));
    }

    @Override
    public void expired(LockEvent event, Lease former) {
        tell(all, observer -> observer.expired(event, former));
    }

    @Override
    public void renewed(String strategy, RenewalOutcome outcome, int leases, Duration took) {
        tell(all, observer -> observer.renewed(strategy, outcome, leases, took));
    }

    @Override
    public void commitRefused(ObservedLock lock) {
        tell(all, observer -> observer.commitRefused(lock));
    }

    @Override
    public void abandoned(ObservedLock lock) {
        tell(all, observer -> observer.abandoned(lock));
    }

    private record Waits(List<Wait> all) implements Wait {
        @Override
        public Hold granted(Granted granted) {
            List<Hold> holds = new ArrayList<>(all.size());
            for (Wait wait : all) {
                try {
                    holds.add(wait.granted(granted));
                } catch (RuntimeException | Error e) {
                    logger.warn("An observer of locks failed", e);
                }
            }
            return new Holds(holds);
        }

        @Override
        public void busy(LockEvent event) {
            tell(all, wait -> wait.busy(event));
        }

        @Override
        public void interrupted() {
            tell(all, Wait::interrupted);
        }

        @Override
        public void failed(Throwable failure) {
            tell(all, wait -> wait.failed(failure));
        }
    }

    /** Of each lock one end is told; only {@code released} may follow {@code unanswered}. */
    private static final class Holds implements Hold {
        private final List<Hold> all;
        private final AtomicReference<End> end = new AtomicReference<>(End.NONE);

        private enum End {
            NONE,
            UNANSWERED,
            KNOWN
        }

        Holds(List<Hold> all) {
            this.all = all;
        }

        @Override
        public void acquired(LockEvent event) {
            tell(all, hold -> hold.acquired(event));
        }

        @Override
        public void completed() {
            tell(all, Hold::completed);
        }

        @Override
        public void downgraded(Granted shared) {
            tell(all, hold -> hold.downgraded(shared));
        }

        @Override
        public void released(LockEvent event) {
            if (end.getAndSet(End.KNOWN) != End.KNOWN) {
                tell(all, hold -> hold.released(event));
            }
        }

        @Override
        public void lost() {
            if (end.getAndSet(End.KNOWN) != End.KNOWN) {
                tell(all, Hold::lost);
            }
        }

        @Override
        public void unanswered(Throwable failure) {
            if (end.compareAndSet(End.NONE, End.UNANSWERED)) {
                tell(all, hold -> hold.unanswered(failure));
            }
        }
    }

    /** Keeps the history of grants. */
    private record LogObserver(LockLog log) implements LockObserver {
        @Override
        public Wait asking(ObservedLock lock) {
            return new Wait() {
                @Override
                public Hold granted(Granted granted) {
                    return new LoggedHold(log, lock.strategy(), granted);
                }
            };
        }

        @Override
        public void expired(LockEvent event, Lease former) {
            log.expired(event.strategy(), former);
        }
    }

    private static final class LoggedHold implements LockObserver.Hold {
        private final LockLog log;
        private final String strategy;
        private volatile LockLog.Entry entry;

        LoggedHold(LockLog log, String strategy, LockObserver.Granted granted) {
            this.log = log;
            this.strategy = strategy;
            this.entry = log.granted(strategy, granted.lease(), granted.token(), granted.waited());
        }

        @Override
        public void completed() {
            entry.completed();
        }

        @Override
        public void downgraded(LockObserver.Granted shared) {
            entry.released();
            entry = log.granted(strategy, shared.lease(), shared.token(), shared.waited());
        }

        @Override
        public void released(LockEvent event) {
            entry.released();
        }

        @Override
        public void lost() {
            entry.lost();
        }
    }

    /** Notifies listeners: of what its own thread has done at once, of the rest on threads for events. */
    private record EventObserver(EventDispatcher events) implements LockObserver, LockObserver.Wait, LockObserver.Hold {
        @Override
        public Wait asking(ObservedLock lock) {
            return this;
        }

        @Override
        public Hold granted(Granted granted) {
            return this;
        }

        @Override
        public void busy(LockEvent event) {
            events.notifyLater(event);
        }

        @Override
        public void acquired(LockEvent event) {
            events.notify(event);
        }

        @Override
        public void released(LockEvent event) {
            events.notify(event);
        }

        @Override
        public void atRisk(LockEvent event, ObservedLock lock) {
            events.notifyLater(event);
        }

        @Override
        public void lost(LockEvent event, ObservedLock lock) {
            events.notifyLater(event);
        }

        @Override
        public void expired(LockEvent event, Lease former) {
            events.notifyLater(event);
        }

        @Override
        public void lost() {}

        @Override
        public void interrupted() {}

        @Override
        public void failed(Throwable failure) {}
    }

    /** Measures. */
    private record MeterObserver(LockInstrumentation meters) implements LockObserver {
        @Override
        public Wait asking(ObservedLock lock) {
            return new MeasuredWait(meters, lock, meters.waiting(lock));
        }

        @Override
        public void handedOn(ObservedLock lock) {
            meters.handedOn(lock);
        }

        @Override
        public void atRisk(LockEvent event, ObservedLock lock) {
            meters.atRisk(lock);
        }

        @Override
        public void lost(LockEvent event, ObservedLock lock) {
            meters.lost(lock);
        }

        @Override
        public void renewed(String strategy, RenewalOutcome outcome, int leases, Duration took) {
            meters.renewal(strategy, outcome, leases, took);
        }

        @Override
        public void commitRefused(ObservedLock lock) {
            meters.fenceRejected(lock);
        }

        @Override
        public void abandoned(ObservedLock lock) {
            meters.abandoned(lock);
        }
    }

    private record MeasuredWait(LockInstrumentation meters, ObservedLock lock, Waiting waiting)
            implements LockObserver.Wait {
        @Override
        public Hold granted(Granted granted) {
            return new MeasuredHold(waiting, granted.token(), meters.holding(lock, granted.token()));
        }

        @Override
        public void busy(LockEvent event) {
            waiting.busy();
        }

        @Override
        public void interrupted() {
            waiting.interrupted();
        }

        @Override
        public void failed(Throwable failure) {
            waiting.failed(failure);
        }
    }

    /** Of its ends the first counts: what is released later than without an answer is not measured. */
    private static final class MeasuredHold implements LockObserver.Hold {
        private final Waiting waiting;
        private final long token;
        private final Holding holding;
        private volatile boolean unanswered;

        MeasuredHold(Waiting waiting, long token, Holding holding) {
            this.waiting = waiting;
            this.token = token;
            this.holding = holding;
        }

        @Override
        public void acquired(LockEvent event) {
            waiting.acquired(token);
        }

        @Override
        public void released(LockEvent event) {
            if (!unanswered) {
                holding.released();
            }
        }

        @Override
        public void lost() {
            if (!unanswered) {
                holding.lost();
            }
        }

        @Override
        public void unanswered(Throwable failure) {
            unanswered = true;
            holding.failed(failure);
        }
    }
}
