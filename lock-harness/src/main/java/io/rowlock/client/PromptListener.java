package io.rowlock.client;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import java.util.function.Consumer;

/** Is notified of what is acquired and released before the call that does it returns. */
public record PromptListener(Consumer<LockEvent> action) implements LockListener {
    @Override
    public void onEvent(LockEvent event) {
        action.accept(event);
    }

    @Override
    public boolean mayBlock() {
        return false;
    }
}
