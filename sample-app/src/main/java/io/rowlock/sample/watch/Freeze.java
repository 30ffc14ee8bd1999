package io.rowlock.sample.watch;

import io.rowlock.sample.node.Task;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/** Makes a node stand still as far as the database can tell, where its process cannot be stopped by a signal. */
@Component
@Profile("node")
class Freeze implements Task<Freeze.Wish, Boolean> {

    record Wish(boolean frozen) {}

    @Override
    public String name() {
        return "freeze";
    }

    @Override
    public Class<Wish> input() {
        return Wish.class;
    }

    @Override
    public Boolean run(Wish wish) {
        SqlTrace.freeze(wish.frozen());
        return wish.frozen();
    }

    /** A node that can no longer be resumed releases what it holds; this comes before that. */
    @EventListener(ContextClosedEvent.class)
    @Order(Ordered.HIGHEST_PRECEDENCE)
    void thaw() {
        SqlTrace.freeze(false);
    }
}
