package io.rowlock.autoconfigure.leader;

import io.rowlock.leader.LeaderElections;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;

/**
 * Seeks leadership when everything else has started, the web server too, and yields it before anything else stops: the
 * next leader is there while this node still finishes its requests.
 *
 * @param context the one the elections belong to, which hears of its children's end, too
 */
record LeaderElectionLifecycle(LeaderElections elections, ApplicationContext context)
        implements SmartLifecycle, ApplicationListener<ContextClosedEvent>, Ordered {

    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void start() {
        elections.start();
    }

    @Override
    public void stop() {
        elections.stop();
    }

    /** Not in the phase: it is the default one, whose members stop one after another. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext().equals(context) && isRunning()) {
            stop();
        }
    }

    @Override
    public boolean isRunning() {
        return elections.isStarted();
    }
}
