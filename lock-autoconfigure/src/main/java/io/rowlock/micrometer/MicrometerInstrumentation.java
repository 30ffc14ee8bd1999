package io.rowlock.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.rowlock.client.event.LockInstrumentation;
import io.rowlock.client.event.ObservedLock;
import io.rowlock.micrometer.LockObservationContext.Outcome;
import io.rowlock.micrometer.LockObservationContext.Phase;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Measures a client with Micrometer. Waits and holds are observations, of which the registry's handlers make timers and
 * spans; whatever else there is to count goes to the meter registry. Opens no scopes: a lock may be closed on another thread,
 * and in any order. Thread-safe.
 */
public final class MicrometerInstrumentation implements LockInstrumentation {
    /** Names come from keys unless the request has one, and each makes a dozen series. */
    private static final int MAX_NAMES = 200;

    private static final String OTHER = "other";

    private static final LockObservationConvention ACQUIRE = new LockObservationConvention(Phase.ACQUIRE);
    private static final LockObservationConvention HELD = new LockObservationConvention(Phase.HELD);

    private final MeterRegistry meters;
    private final ObservationRegistry observations;
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<LockMeters.Group, LockMeters> locks = new ConcurrentHashMap<>();
    private final ConcurrentMap<RenewalMeters.Group, RenewalMeters> renewals = new ConcurrentHashMap<>();

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
        return new ObservedMeterDescriptions();
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
                meterName(lock.name()), LockObservationConvention.lowerCase(lock.mode()), lock.strategy());
        LockMeters present = locks.get(group);
        return present == null ? locks.computeIfAbsent(group, this::begun) : present;
    }

    /** Renewals are to begin at zero, too. */
    private LockMeters begun(LockMeters.Group group) {
        for (RenewalOutcome outcome : RenewalOutcome.values()) {
            RenewalMeters unused = renewals(new RenewalMeters.Group(group.strategy(), outcome));
        }
        return new LockMeters(meters, group);
    }

    private RenewalMeters renewals(RenewalMeters.Group group) {
        return renewals.computeIfAbsent(group, added -> new RenewalMeters(meters, added));
    }

    @Override
    public Waiting waiting(ObservedLock lock) {
        LockMeters counted = metersOf(lock);
        LockObservationContext context = new LockObservationContext(Phase.ACQUIRE, lock, meterName(lock.name()), 0);
        Observation observation = Observation.start(null, ACQUIRE, () -> context, observations);
        counted.waitBegins();
        return new ObservedWait(context, observation, counted);
    }

    @Override
    public Holding holding(ObservedLock lock, long fencingToken) {
        LockMeters counted = metersOf(lock);
        LockObservationContext context =
                new LockObservationContext(Phase.HELD, lock, meterName(lock.name()), fencingToken);
        Observation observation = Observation.start(null, HELD, () -> context, observations);
        counted.holdBegins();
        return new ObservedHold(context, observation, counted);
    }

    @Override
    public void handedOn(ObservedLock lock) {
        metersOf(lock).handedOn();
    }

    @Override
    public void renewal(String strategy, RenewalOutcome outcome, int leases, Duration took) {
        renewals(new RenewalMeters.Group(strategy, outcome)).record(leases, took);
    }

    @Override
    public void atRisk(ObservedLock lock) {
        metersOf(lock).atRisk();
    }

    @Override
    public void lost(ObservedLock lock) {
        metersOf(lock).lost();
    }

    @Override
    public void abandoned(ObservedLock lock) {
        metersOf(lock).abandoned();
    }

    @Override
    public void fenceRejected(ObservedLock lock) {
        metersOf(lock).fenceRejected();
    }

    private record ObservedWait(LockObservationContext context, Observation observation, LockMeters counted)
            implements Waiting {
        @Override
        public void acquired(long fencingToken) {
            context.acquired(fencingToken);
            end();
        }

        @Override
        public void busy() {
            context.ended(Outcome.BUSY);
            end();
        }

        @Override
        public void interrupted() {
            context.ended(Outcome.INTERRUPTED);
            end();
        }

        @Override
        public void failed(Throwable failure) {
            context.ended(Outcome.ERROR);
            counted.waitEnds();
            stop(observation, failure);
        }

        private void end() {
            counted.waitEnds();
            observation.stop();
        }
    }

    private record ObservedHold(LockObservationContext context, Observation observation, LockMeters counted)
            implements Holding {
        @Override
        public void released() {
            end(Outcome.RELEASED);
        }

        @Override
        public void lost() {
            end(Outcome.LOST);
        }

        @Override
        public void failed(Throwable failure) {
            counted.holdEnds();
            context.ended(Outcome.ERROR);
            stop(observation, failure);
        }

        private void end(Outcome how) {
            counted.holdEnds();
            context.ended(how);
            observation.stop();
        }
    }

    /** However its handlers fail. */
    private static void stop(Observation observation, Throwable failure) {
        try {
            observation.error(failure);
        } finally {
            observation.stop();
        }
    }
}
