package io.rowlock.autoconfigure;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import java.util.List;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * Makes application events of lock events. It may block, as what listens to application events may well ask a database, or
 * take a lock itself. As long as the context has no listener that hears it no thread is woken for that: it is published in place, so that
 * a listener that the context makes only then gets it all the same.
 */
final class LockEventPublisher implements LockListener {
    private static final ResolvableType EVENT =
            ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, LockEvent.class);

    private final ApplicationEventPublisher publisher;

    /** The answer for the listeners that were there at the last look. */
    private volatile Look last = new Look(List.of(), false);

    private record Look(List<ApplicationListener<?>> listeners, boolean heard) {}

    LockEventPublisher(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
    }

    @Override
    public boolean mayBlock() {
        try {
            return !(publisher instanceof AbstractApplicationContext context)
                    || !context.isActive()
                    || context.getParent() != null
                    || isHeard(context);
        } catch (RuntimeException e) {
            return true; // listeners are just being added or removed
        }
    }

    private boolean isHeard(AbstractApplicationContext context) {
        Look look = last;
        List<ApplicationListener<?>> listeners = List.copyOf(context.getApplicationListeners());
        if (!look.listeners().equals(listeners)) {
            look = new Look(
                    listeners,
                    listeners.stream()
                            .anyMatch(each -> new GenericApplicationListenerAdapter(each).supportsEventType(EVENT)));
            last = look;
        }
        return look.heard();
    }

    @Override
    public void onEvent(LockEvent event) {
        publisher.publishEvent(new Published(publisher, event));
    }

    /** Knows its type, which Spring would make anew for each event that it publishes. */
    private static final class Published extends PayloadApplicationEvent<LockEvent> {
        private static final long serialVersionUID = 1L;

        Published(ApplicationEventPublisher publisher, LockEvent event) {
            super(publisher, event, EVENT.getGeneric());
        }

        @Override
        public ResolvableType getResolvableType() {
            return EVENT;
        }
    }
}
