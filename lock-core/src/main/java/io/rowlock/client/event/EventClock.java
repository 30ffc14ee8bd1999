package io.rowlock.client.event;

import java.time.Instant;

/** The wall clock, for what is shown to people; nothing is decided by it. */
final class EventClock {
    private EventClock() {}

    static Instant now() {
        return Instant.now();
    }
}
