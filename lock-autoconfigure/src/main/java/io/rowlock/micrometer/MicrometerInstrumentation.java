package io.rowlock.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.client.observe.ObservedLock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures a client with Micrometer. Waits and holds are observations, of which the registry's handlers make timers and
 * spans; whatever else there is to count goes to the meter registry. The key of a lock is never a tag of a meter. Opens no scopes: a
 * lock may be closed on another thread, and in any order. Thread-safe.
 */
public final class MicrometerInstrumentation implements LockInstrumentation {
    /** Names come from keys unless the request has one, and each makes a dozen series. */
    private static final int MAX_NAMES = 200;

    private static final String OTHER = "other";
    private static final String OUTCOME = "outcome";

    /** The meters that observation handlers make of waits and holds say nothing about themselves. */
    private static final Map<String, String> DESCRIPTIONS = Map.of(
            "rowlock.acquire", "Time from the request for a lock until it was granted or the attempt ended",
            "rowlock.acquire.active", "Time that threads have waited for a lock so far",
            "rowlock.held", "Time from the grant of a lock until it ended",
            "rowlock.held.active", "Time that locks have been held so far");

    private final MeterRegistry meters;
    private final ObservationRegistry observations;
    private final MeterProvider<Timer> renewals;
    private final MeterProvider<DistributionSummary> renewedLeases;
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<Group, LockMeters> locks = new ConcurrentHashMap<>();

    /**
     * @param meters where counters and gauges are registered
     * @param observations what observes waits and holds; without a handler that makes timers there are none
     */
    public MicrometerInstrumentation(MeterRegistry meters, ObservationRegistry observations) {
        this.meters = meters;
        this.observations = observations;
        this.renewals = Timer.builder("rowlock.renewal")
                .description("Statements that renew leases")
                .withRegistry(meters);
        this.renewedLeases = DistributionSummary.builder("rowlock.renewal.leases")
                .description("Leases in a statement that came to this outcome")
                .baseUnit("leases")
                .withRegistry(meters);
    }

    /** Returns what describes the meters that observation handlers make of waits and holds. */
    public static MeterFilter descriptions() {
        return new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                String description = id.getDescription() == null ? DESCRIPTIONS.get(id.getName()) : null;
                return description == null
                        ? id
                        : new Meter.Id(
                                id.getName(),
                                Tags.of(id.getTagsAsIterable()),
                                id.getBaseUnit(),
                                description,
                                id.getType());
            }
        };
    }

    /** Once there are too many different names, further ones are counted together. */
    private String meterName(String name) {
        boolean known = names.contains(name) || (names.size() < MAX_NAMES && (names.add(name) || names.contains(name)));
        return known ? name : OTHER;
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /**
     * The properties that the locks of some meters share.
     *
     * @param name the static name
     */
    private record Group(String name, String mode, String strategy) {}

    private LockMeters metersOf(ObservedLock lock) {
        Group group = new Group(meterName(lock.name()), lowerCase(lock.mode()), lock.strategy());
        LockMeters present = locks.get(group);
        return present == null ? locks.computeIfAbsent(group, this::begun) : present;
    }

    /** Renewals are to begin at zero, too. */
    private LockMeters begun(Group group) {
        for (RenewalOutcome outcome : RenewalOutcome.values()) {
            Tags tags = renewal(group.strategy(), outcome);
            Timer unused = renewals.withTags(tags);
            DistributionSummary unusedToo = renewedLeases.withTags(tags);
        }
        return new LockMeters(meters, group);
    }

    private static Tags renewal(String strategy, RenewalOutcome outcome) {
        return Tags.of("strategy", strategy, OUTCOME, lowerCase(outcome));
    }

    @Override
    public Measurement waiting(ObservedLock lock) {
        LockMeters of = metersOf(lock);
        return observed("rowlock.acquire", "acquire", lock, of, of.waits);
    }

    @Override
    public Measurement holding(ObservedLock lock, long fencingToken) {
        LockMeters of = metersOf(lock);
        Observed hold = observed("rowlock.held", "hold", lock, of, of.holds);
        hold.token(fencingToken);
        return hold;
    }

    private Observed observed(String meter, String verb, ObservedLock lock, LockMeters of, AtomicInteger open) {
        Observation observation = Observation.createNotStarted(meter, observations)
                .contextualName(verb + " " + of.group.name())
                .lowCardinalityKeyValues(of.values)
                .highCardinalityKeyValue("rowlock.key", lock.key())
                .start();
        open.incrementAndGet();
        return new Observed(observation, open);
    }

    @Override
    public void count(Incident what, ObservedLock lock) {
        Objects.requireNonNull(metersOf(lock).incidents.get(what)).increment();
    }

    @Override
    public void renewal(String strategy, RenewalOutcome outcome, int leases, Duration took) {
        Tags tags = renewal(strategy, outcome);
        renewals.withTags(tags).record(took);
        renewedLeases.withTags(tags).record(leases);
    }

    /**
     * A wait or a hold.
     *
     * @param open how many there are
     */
    private record Observed(Observation observation, AtomicInteger open) implements Measurement {
        void token(long fencingToken) {
            if (fencingToken != 0) {
                Observation unused = observation.highCardinalityKeyValue("rowlock.token", Long.toString(fencingToken));
            }
        }

        @Override
        public void ended(Outcome how, long fencingToken) {
            token(fencingToken);
            end(lowerCase(how));
        }

        /** Stops the observation however its handlers fail. */
        @Override
        public void failed(Throwable failure) {
            try {
                Observation unused = observation.error(failure);
            } finally {
                end("error");
            }
        }

        private void end(String outcome) {
            open.decrementAndGet();
            observation.lowCardinalityKeyValue(OUTCOME, outcome).stop();
        }
    }

    /** The counters and gauges of the locks of one name, mode and strategy. Thread-safe. */
    private static final class LockMeters {
        final Group group;
        final AtomicInteger waits = new AtomicInteger();
        final AtomicInteger holds = new AtomicInteger();
        final Map<Incident, Counter> incidents = new EnumMap<>(Incident.class);
        final KeyValues values;

        /** All of them begin at zero, so that the first event is an increase, too. */
        LockMeters(MeterRegistry registry, Group group) {
            this.group = group;
            Tags tags = Tags.of("name", group.name(), "mode", group.mode(), "strategy", group.strategy());
            values = KeyValues.of(tags.and(OUTCOME, "unknown"), Tag::getKey, Tag::getValue);
            for (Incident each : Incident.values()) {
                incidents.put(each, counter(each).tags(tags).register(registry));
            }
            gauge(registry, tags, "rowlock.waiting", waits, "Threads that wait for a lock");
            gauge(registry, tags, "rowlock.active", holds, "Locks that threads of this process hold");
        }

        private static Counter.Builder counter(Incident of) {
            return switch (of) {
                case HANDED_ON -> counter("rowlock.handoff", "Grants that needed no statement, from thread to thread");
                case AT_RISK -> counter("rowlock.at.risk", "Leases whose renewal failed or was late");
                case LOST -> counter("rowlock.lost", "Leases that were lost");
                case COMMIT_REFUSED -> counter("rowlock.fence.rejected", "Commits refused because a lock was lost");
                case ABANDONED -> counter("rowlock.abandoned", "Locks whose thread ended without closing them");
            };
        }

        private static Counter.Builder counter(String name, String description) {
            return Counter.builder(name).description(description);
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
