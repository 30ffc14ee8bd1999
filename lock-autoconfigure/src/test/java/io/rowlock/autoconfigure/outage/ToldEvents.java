package io.rowlock.autoconfigure.outage;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.context.event.EventListener;

/** The events of locks: as a listener hears them, and as they are published. */
final class ToldEvents implements LockListener {
    private final Queue<LockEvent> heard = new ConcurrentLinkedQueue<>();
    private final Queue<LockEvent> published = new ConcurrentLinkedQueue<>();

    @Override
    public void onEvent(LockEvent event) {
        heard.add(event);
    }

    @EventListener
    void onPublished(LockEvent event) {
        published.add(event);
    }

    List<LockEvent> all() {
        return List.copyOf(heard);
    }

    long count(LockEvent.Type type) {
        return count(heard, type);
    }

    long countPublished(LockEvent.Type type) {
        return count(published, type);
    }

    long count(LockEvent.Type type, String name) {
        return heard.stream()
                .filter(event -> event.type() == type && event.name().equals(name))
                .count();
    }

    private static long count(Collection<LockEvent> events, LockEvent.Type type) {
        return events.stream().filter(event -> event.type() == type).count();
    }
}
