package io.rowlock.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.micrometer.LockObservationContext.Outcome;
import io.rowlock.micrometer.LockObservationContext.Phase;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures a client with Micrometer. Waits and holds are observations, of which the registry's handlers make timers and
 * spans; whatever else there is to count goes to the meter registry. Opens no scopes: a lock may be closed on another thread,
 * and in any order. Thread-safe.
 */
public final class MicrometerInstrumentation implements LockInstrumentation {
    /** Names come from keys unless the request has one, and each makes a dozen series. */
    private static final int MAX_NAMES = 200;

    private static final String OTHER = "other";

    private static final LockObservationContext.Convention ACQUIRE =
            new LockObservationContext.Convention(Phase.ACQUIRE);
    private static final LockObservationContext.Convention HELD = new LockObservationContext.Convention(Phase.HELD);

    private final MeterRegistry meters;
    private final ObservationRegistry observations;
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<LockMeters.Group, LockMeters> locks = new ConcurrentHashMap<>();

    /**
     * @param meters where counters and gauges are registered
     * @param observations what observes waits and holds; without a handler that makes timers there are none
     */
    public MicrometerInstrumentation(MeterRegistry meters, ObservationRegistry observations) {
        this.meters = meters;
        this.observations = observations;
    }

    /** Returns what describes the meters that observation handlers make of waits and holds. */
    public static MeterFilter descriptions() {
        return new Descriptions();
    }

    /** Once there are too many different names, further ones are counted together. */
    private String meterName(String name) {
        if (names.contains(name)) {
            return name;
        }
        return names.size() < MAX_NAMES && names.add(name) ? name : OTHER;
    }

    private LockMeters metersOf(ObservedLock lock) {
        LockMeters.Group group = new LockMeters.Group(
                meterName(lock.name()), LockObservationContext.Convention.lowerCase(lock.mode()), lock.strategy());
        LockMeters present = locks.get(group);
        return present == null ? locks.computeIfAbsent(group, this::begun) : present;
    }

    /** Renewals are to begin at zero, too. */
    private LockMeters begun(LockMeters.Group group) {
        for (RenewalOutcome outcome : RenewalOutcome.values()) {
            Tags tags = renewal(group.strategy(), outcome);
            Timer unused = statements(tags);
            DistributionSummary unusedToo = leases(tags);
        }
        return new LockMeters(meters, group);
    }

    private static Tags renewal(String strategy, RenewalOutcome outcome) {
        return Tags.of("strategy", strategy, "outcome", LockObservationContext.Convention.lowerCase(outcome));
    }

    private Timer statements(Tags renewal) {
        return Timer.builder("rowlock.renewal")
                .description("Statements that renew leases")
                .tags(renewal)
                .register(meters);
    }

    private DistributionSummary leases(Tags renewal) {
        return DistributionSummary.builder("rowlock.renewal.leases")
                .description("Leases in a statement that came to this outcome")
                .baseUnit("leases")
                .tags(renewal)
                .register(meters);
    }

    @Override
    public Waiting waiting(ObservedLock lock) {
        return observed(ACQUIRE, lock, 0, metersOf(lock).waits);
    }

    @Override
    public Holding holding(ObservedLock lock, long fencingToken) {
        return observed(HELD, lock, fencingToken, metersOf(lock).holds);
    }

    private Observed observed(
            LockObservationContext.Convention convention, ObservedLock lock, long token, AtomicInteger open) {
        LockObservationContext context =
                new LockObservationContext(convention.phase(), lock, meterName(lock.name()), token);
        Observation observation = Observation.start(null, convention, () -> context, observations);
        open.incrementAndGet();
        return new Observed(context, observation, open);
    }

    @Override
    public void handedOn(ObservedLock lock) {
        metersOf(lock).handoffs.increment();
    }

    @Override
    public void renewal(String strategy, RenewalOutcome outcome, int leases, Duration took) {
        Tags tags = renewal(strategy, outcome);
        statements(tags).record(took);
        leases(tags).record(leases);
    }

    @Override
    public void atRisk(ObservedLock lock) {
        metersOf(lock).risks.increment();
    }

    @Override
    public void lost(ObservedLock lock) {
        metersOf(lock).losses.increment();
    }

    @Override
    public void abandoned(ObservedLock lock) {
        metersOf(lock).abandonments.increment();
    }

    @Override
    public void fenceRejected(ObservedLock lock) {
        metersOf(lock).refusals.increment();
    }

    /**
     * A wait or a hold.
     *
     * @param open how many there are
     */
    private record Observed(LockObservationContext context, Observation observation, AtomicInteger open)
            implements Waiting, Holding {
        @Override
        public void acquired(long fencingToken) {
            context.acquired(fencingToken);
            end(Outcome.ACQUIRED);
        }

        @Override
        public void busy() {
            end(Outcome.BUSY);
        }

        @Override
        public void interrupted() {
            end(Outcome.INTERRUPTED);
        }

        @Override
        public void released() {
            end(Outcome.RELEASED);
        }

        @Override
        public void lost() {
            end(Outcome.LOST);
        }

        private void end(Outcome how) {
            open.decrementAndGet();
            context.ended(how);
            observation.stop();
        }

        /** Stops the observation however its handlers fail. */
        @Override
        public void failed(Throwable failure) {
            open.decrementAndGet();
            context.ended(Outcome.ERROR);
            try {
                observation.error(failure);
            } finally {
                observation.stop();
            }
        }
    }

    /** Describes the meters that observation handlers make of waits and holds, which say nothing about themselves. */
    private static final class Descriptions implements MeterFilter {
        private static final Map<String, String> DESCRIPTIONS = Map.of(
                "rowlock.acquire", "Time from the request for a lock until it was granted or the attempt ended",
                "rowlock.acquire.active", "Time that threads have waited for a lock so far",
                "rowlock.held", "Time from the grant of a lock until it ended",
                "rowlock.held.active", "Time that locks have been held so far");

        @Override
        public Meter.Id map(Meter.Id id) {
            String description = id.getDescription() == null ? DESCRIPTIONS.get(id.getName()) : null;
            return description == null
                    ? id
                    : new Meter.Id(
                            id.getName(), Tags.of(id.getTagsAsIterable()), id.getBaseUnit(), description, id.getType());
        }
    }

    /** The counters and gauges of the locks of one name, mode and strategy. Thread-safe. */
    static final class LockMeters {
        final AtomicInteger waits = new AtomicInteger();
        final AtomicInteger holds = new AtomicInteger();
        final Counter handoffs;
        final Counter risks;
        final Counter losses;
        final Counter refusals;
        final Counter abandonments;

        /**
         * The properties that its locks share.
         *
         * @param name the static name
         */
        record Group(String name, String mode, String strategy) {
            Tags tags() {
                return Tags.of("name", name, "mode", mode, "strategy", strategy);
            }
        }

        /** All of them begin at zero, so that the first event is an increase, too. */
        LockMeters(MeterRegistry registry, Group group) {
            Tags tags = group.tags();
            handoffs = counter(
                    registry, tags, "rowlock.handoff", "Grants that needed no statement, from thread to thread");
            risks = counter(registry, tags, "rowlock.at.risk", "Leases whose renewal failed or was late");
            losses = counter(registry, tags, "rowlock.lost", "Leases that were lost");
            refusals = counter(registry, tags, "rowlock.fence.rejected", "Commits refused because a lock was lost");
            abandonments =
                    counter(registry, tags, "rowlock.abandoned", "Locks whose thread ended without closing them");
            gauge(registry, tags, "rowlock.waiting", waits, "Threads that wait for a lock");
            gauge(registry, tags, "rowlock.active", holds, "Locks that threads of this process hold");
        }

        private static Counter counter(MeterRegistry registry, Tags tags, String name, String description) {
            return Counter.builder(name).description(description).tags(tags).register(registry);
        }

        private static void gauge(
                MeterRegistry registry, Tags tags, String name, AtomicInteger value, String description) {
            Gauge unused = Gauge.builder(name, value, AtomicInteger::get)
                    .description(description)
                    .tags(tags)
                    .strongReference(true)
                    .register(registry);
        }
    }
}
