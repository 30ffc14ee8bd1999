package io.rowlock.sample.watch;

import io.rowlock.sample.node.Task;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.PriorityOrdered;
import org.springframework.stereotype.Component;

/** Makes a node stand still as far as the database can tell, where its process cannot be stopped by a signal. */
@Component
@Profile("node")
class Freeze implements Task<Freeze.Wish, Boolean>, ApplicationListener<ContextClosedEvent>, PriorityOrdered {

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
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        SqlTrace.freeze(false);
    }

    /** Before leadership is given up, which is the first of the ordered listeners. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
