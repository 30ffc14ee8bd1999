package io.rowlock.autoconfigure;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Makes application events of lock events, on a thread of its own: what listens to application events may well ask a
 * database, or take a lock itself, and must hold up none.
 */
record LockEventPublisher(ApplicationEventPublisher publisher) implements LockListener {
    @Override
    public void onEvent(LockEvent event) {
        publisher.publishEvent(event);
    }

    @Override
    public boolean mayBlock() {
        return true;
    }
}
