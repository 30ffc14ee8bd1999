package io.rowlock.autoconfigure;

import io.rowlock.leader.LeaderElections;
import org.springframework.context.SmartLifecycle;

/**
 * Seeks leadership when everything else has started, the web server too, and yields it before anything else stops: the
 * next leader is there while this node still finishes its requests.
 */
final class LeaderElectionLifecycle implements SmartLifecycle {
    private final LeaderElections elections;

    LeaderElectionLifecycle(LeaderElections elections) {
        this.elections = elections;
    }

    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

    @Override
    public void start() {
        elections.start();
    }

    @Override
    public void stop() {
        elections.stop();
    }

    @Override
    public boolean isRunning() {
        return elections.isStarted();
    }
}
