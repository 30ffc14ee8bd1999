package io.rowlock.autoconfigure.outage;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.Search;
import java.util.Collection;
import java.util.function.ToDoubleFunction;

/** Sums over all meters of one name that have some tags. */
record LockMeterSums(MeterRegistry meters) {
    /** @param tags keys and values */
    long counted(String counter, String... tags) {
        return sum(with(counter, tags).counters(), Counter::count);
    }

    /** @param tags keys and values */
    long timed(String timer, String... tags) {
        return sum(with(timer, tags).timers(), Timer::count);
    }

    /** @param tags keys and values */
    long present(String gauge, String... tags) {
        return sum(with(gauge, tags).gauges(), Gauge::value);
    }

    private Search with(String name, String... tags) {
        if (meters.find(name).meter() == null) {
            throw new IllegalArgumentException("There is no meter " + name);
        }
        return meters.find(name).tags(tags);
    }

    private static <M extends Meter> long sum(Collection<M> meters, ToDoubleFunction<M> value) {
        return Math.round(meters.stream().mapToDouble(value).sum());
    }
}
