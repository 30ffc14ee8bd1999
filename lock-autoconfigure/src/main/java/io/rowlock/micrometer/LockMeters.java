package io.rowlock.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.atomic.AtomicInteger;

/** The counters and gauges of the locks of one name, mode and strategy. Thread-safe. */
final class LockMeters {
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
        handoffs = counter(registry, tags, "rowlock.handoff", "Grants that needed no statement, from thread to thread");
        risks = counter(registry, tags, "rowlock.at.risk", "Leases whose renewal failed or was late");
        losses = counter(registry, tags, "rowlock.lost", "Leases that were lost");
        refusals = counter(registry, tags, "rowlock.fence.rejected", "Commits refused because a lock was lost");
        abandonments = counter(registry, tags, "rowlock.abandoned", "Locks whose thread ended without closing them");
        gauge(registry, tags, "rowlock.waiting", waits, "Threads that wait for a lock");
        gauge(registry, tags, "rowlock.active", holds, "Locks that threads of this process hold");
    }

    private static Counter counter(MeterRegistry registry, Tags tags, String name, String description) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }

    private static void gauge(MeterRegistry registry, Tags tags, String name, AtomicInteger value, String description) {
        Gauge unused = Gauge.builder(name, value, AtomicInteger::get)
                .description(description)
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }
}
