package io.rowlock.autoconfigure.client;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Makes application events of lock events. It may block, as what listens to application events may well ask a database, or
 * take a lock itself.
 */
public record LockEventPublisher(ApplicationEventPublisher publisher) implements LockListener {
    @Override
    public void onEvent(LockEvent event) {
        publisher.publishEvent(event);
    }
}
