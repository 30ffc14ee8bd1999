package io.rowlock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.client.observe.LockInstrumentation.Incident;
import io.rowlock.client.observe.LockInstrumentation.Measurement;
import io.rowlock.client.observe.LockInstrumentation.Outcome;
import io.rowlock.client.observe.LockInstrumentation.RenewalOutcome;
import io.rowlock.client.observe.ObservedLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** What becomes a meter, a tag, a span or a value of one. */
class MicrometerInstrumentationTests {
    private static final ObservedLock LOCK = new ObservedLock("order:42", "order", LockMode.EXCLUSIVE, "lease");

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ObservationRegistry observations = ObservationRegistry.create();
    private final List<Observation.Context> stopped = new ArrayList<>();
    private final MicrometerInstrumentation instrumentation = new MicrometerInstrumentation(meters, observations);

    MicrometerInstrumentationTests() {
        observations
                .observationConfig()
                .observationHandler(new DefaultMeterObservationHandler(meters))
                .observationHandler(new ObservationHandler<>() {
                    @Override
                    public void onStop(Observation.Context context) {
                        stopped.add(context);
                    }

                    @Override
                    public boolean supportsContext(Observation.Context context) {
                        return true;
                    }
                });
    }

    private long waits(String outcome) {
        return meters.get("rowlock.acquire")
                .tags("name", "order", "mode", "exclusive", "strategy", "lease", "outcome", outcome)
                .timer()
                .count();
    }

    private long holds(String outcome) {
        return meters.get("rowlock.held")
                .tags("name", "order", "mode", "exclusive", "strategy", "lease", "outcome", outcome)
                .timer()
                .count();
    }

    private double gauge(String name) {
        return meters.get(name).tag("name", "order").gauge().value();
    }

    private double count(String name) {
        return meters.get(name).tag("name", "order").counter().count();
    }

    @Test
    void waitsAreTimedByTheirOutcome() {
        instrumentation.waiting(LOCK).ended(Outcome.ACQUIRED, 7);
        instrumentation.waiting(LOCK).ended(Outcome.BUSY, 0);
        instrumentation.waiting(LOCK).ended(Outcome.BUSY, 0);
        instrumentation.waiting(LOCK).ended(Outcome.INTERRUPTED, 0);
        instrumentation.waiting(LOCK).failed(new LockStoreException("off", null));
        assertThat(waits("acquired")).isEqualTo(1);
        assertThat(waits("busy")).isEqualTo(2);
        assertThat(waits("interrupted")).isEqualTo(1);
        assertThat(waits("error")).isEqualTo(1);
    }

    @Test
    void nameThatThreadsUseForTheFirstTimeTogetherIsTheirs() throws Exception {
        for (int round = 0; round < 150; round++) {
            ObservedLock lock = new ObservedLock("name-" + round, "name-" + round, LockMode.EXCLUSIVE, "lease");
            CyclicBarrier together = new CyclicBarrier(4);
            FutureTask<?>[] waits = new FutureTask<?>[4];
            for (int i = 0; i < waits.length; i++) {
                waits[i] = new FutureTask<>(() -> {
                    together.await();
                    return instrumentation.waiting(lock);
                });
                new Thread(waits[i]).start();
            }
            for (FutureTask<?> wait : waits) {
                assertThat(wait.get()).isNotNull();
            }
        }
        assertThat(meters.find("rowlock.waiting").tag("name", "other").gauges()).isEmpty();
    }

    @Test
    void holdsAreTimedByTheirOutcome() {
        instrumentation.holding(LOCK, 7).ended(Outcome.RELEASED, 0);
        instrumentation.holding(LOCK, 8).ended(Outcome.LOST, 0);
        instrumentation.holding(LOCK, 9).failed(new LockStoreException("off", null));
        assertThat(holds("released")).isEqualTo(1);
        assertThat(holds("lost")).isEqualTo(1);
        assertThat(holds("error")).isEqualTo(1);
    }

    @Test
    void gaugesShowWhoWaitsAndWhoHolds() {
        Measurement waiting = instrumentation.waiting(LOCK);
        assertThat(gauge("rowlock.waiting")).isEqualTo(1);
        waiting.ended(Outcome.ACQUIRED, 7);
        Measurement first = instrumentation.holding(LOCK, 7);
        Measurement second = instrumentation.holding(LOCK, 7);
        assertThat(gauge("rowlock.waiting")).isZero();
        assertThat(gauge("rowlock.active")).isEqualTo(2);
        first.ended(Outcome.RELEASED, 0);
        second.ended(Outcome.LOST, 0);
        assertThat(gauge("rowlock.active")).isZero();
    }

    @Test
    void countersBeginAtZeroAndCount() {
        instrumentation.waiting(LOCK).ended(Outcome.ACQUIRED, 7);
        List<String> names = List.of(
                "rowlock.handoff", "rowlock.at.risk", "rowlock.lost", "rowlock.fence.rejected", "rowlock.abandoned");
        assertThat(names).allSatisfy(name -> assertThat(count(name)).isZero());
        for (Incident each : Incident.values()) {
            instrumentation.count(each, LOCK);
        }
        assertThat(names).allSatisfy(name -> assertThat(count(name)).isEqualTo(1));
    }

    @Test
    void renewalsAreTimedByStatementAndCountedByLease() {
        instrumentation.renewal("lease", RenewalOutcome.RENEWED, 40, Duration.ofMillis(3));
        instrumentation.renewal("lease", RenewalOutcome.LOST, 2, Duration.ofMillis(3));
        assertThat(meters.get("rowlock.renewal")
                        .tag("outcome", "renewed")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(meters.get("rowlock.renewal.leases")
                        .tag("outcome", "renewed")
                        .summary()
                        .totalAmount())
                .isEqualTo(40);
        assertThat(meters.get("rowlock.renewal.leases")
                        .tag("outcome", "lost")
                        .summary()
                        .totalAmount())
                .isEqualTo(2);
    }

    @Test
    void keyIsAValueOfTheObservationAndNeverATag() {
        instrumentation.waiting(LOCK).ended(Outcome.ACQUIRED, 7);
        instrumentation.holding(LOCK, 7).ended(Outcome.RELEASED, 0);
        assertThat(stopped).extracting(Observation.Context::getName).containsExactly("rowlock.acquire", "rowlock.held");
        assertThat(stopped)
                .allSatisfy(context -> assertThat(context.getHighCardinalityKeyValues())
                        .containsExactlyInAnyOrder(
                                KeyValue.of("rowlock.key", "order:42"), KeyValue.of("rowlock.token", "7")));
        assertThat(meters.getMeters())
                .extracting(Meter::getId)
                .allSatisfy(
                        id -> assertThat(id.getTags()).extracting(Tag::getValue).doesNotContain("order:42", "7"));
    }

    @Test
    void parentIsTheObservationOfTheCallerWhichStaysTheCurrentOne() {
        Observation caller = Observation.start("request", observations);
        Measurement holding;
        try (Observation.Scope scope = caller.openScope()) {
            instrumentation.waiting(LOCK).ended(Outcome.ACQUIRED, 7);
            holding = instrumentation.holding(LOCK, 7);
            assertThat(observations.getCurrentObservationScope()).isSameAs(scope);
        }
        Thread closer = new Thread(() -> holding.ended(Outcome.RELEASED, 0));
        closer.start();
        join(closer);
        assertThat(observations.getCurrentObservation()).isNull();
        assertThat(stopped)
                .hasSize(2)
                .allSatisfy(
                        context -> assertThat(context.getParentObservation()).isSameAs(caller));
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void tooManyNamesAreCountedTogether() {
        for (int i = 0; i < 300; i++) {
            ObservedLock lock = new ObservedLock("k", "name" + i, LockMode.SHARED, "lease");
            instrumentation.waiting(lock).ended(Outcome.BUSY, 0);
        }
        assertThat(meters.find("rowlock.acquire").timers()).hasSize(201);
        assertThat(meters.get("rowlock.acquire").tag("name", "other").timer().count())
                .isEqualTo(100);
        assertThat(meters.get("rowlock.acquire").tag("name", "name7").timer().count())
                .isEqualTo(1);
    }

    @Test
    void conventionOfTheApplicationWins() {
        observations.observationConfig().observationConvention(new GlobalObservationConvention<>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return "rowlock.acquire".equals(context.getName());
            }

            @Override
            public String getName() {
                return "my.wait";
            }
        });
        instrumentation.waiting(LOCK).ended(Outcome.ACQUIRED, 7);
        instrumentation.holding(LOCK, 7).ended(Outcome.RELEASED, 0);
        assertThat(stopped).extracting(Observation.Context::getName).containsExactly("my.wait", "rowlock.held");
    }
}
