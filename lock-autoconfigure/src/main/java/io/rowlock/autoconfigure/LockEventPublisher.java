package io.rowlock.autoconfigure;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;

/**
 * Makes application events of lock events. It may block, as what listens to application events may well ask a database, or
 * acquire a lock itself. As long as the context has no listener that hears it no thread is woken for that: it is published in place, so that
 * a listener that the context makes only then gets it all the same.
 */
final class LockEventPublisher implements LockListener {
    private static final Logger log = LoggerFactory.getLogger(LockEventPublisher.class);

    private static final ResolvableType EVENT =
            ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, LockEvent.class);

    private final ApplicationEventPublisher publisher;

    /** The answer for the listeners that were there at the last look. */
    private volatile Look last = new Look(List.of(), false);

    private record Look(List<ApplicationListener<?>> listeners, boolean heard) {}

    LockEventPublisher(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
    }

    /** Returns the listeners, asked for with the first event, since they may need the client. No guard: to make them may block. */
    static Iterable<LockListener> laterListeners(ObjectProvider<LockListener> all, ListableBeanFactory beans) {
        AtomicReference<List<LockListener>> made = new AtomicReference<>(List.of());
        return () -> {
            try {
                return made.updateAndGet(
                                those -> those.isEmpty() ? all.orderedStream().toList() : those)
                        .iterator();
            } catch (BeansException e) {
                return possible(beans, e).iterator();
            }
        };
    }

    /** Returns those that can be made now: the others, one of which has just failed, cost them no event, and are tried with the next one. */
    private static List<LockListener> possible(ListableBeanFactory beans, BeansException failed) {
        List<LockListener> possible = new ArrayList<>();
        for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, LockListener.class)) {
            try {
                if (failed instanceof BeanCreationException tried && name.equals(tried.getBeanName())) {
                    throw failed;
                }
                possible.add(beans.getBean(name, LockListener.class));
            } catch (BeansException e) {
                log.warn("The listener \"{}\" cannot be made, so it misses an event", name, e);
            }
        }
        AnnotationAwareOrderComparator.sort(possible);
        return possible;
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
