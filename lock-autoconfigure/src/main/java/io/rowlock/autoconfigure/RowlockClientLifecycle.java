package io.rowlock.autoconfigure;

import io.rowlock.client.RowlockClient;
import io.rowlock.store.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Lets no new lock be acquired when the application stops, and waits for those that are held, as long as Spring lets a phase
 * ({@code spring.lifecycle.timeout-per-shutdown-phase}). What is left then, the client gives back when it is closed.
 *
 * <p>It stops after what brings work: web servers, listeners of queues, and, in the middle of all phases, schedulers, executors and the
 * pollers of Spring Integration. It stops before what was declared without a phase, and before any bean is destroyed.
 */
final class RowlockClientLifecycle implements SmartLifecycle {
    /** Leaves room for components that stop after a scheduler and acquire locks then. */
    static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

    private static final Logger log = LoggerFactory.getLogger(RowlockClientLifecycle.class);
    private static final long LOOK_MILLIS = 10;

    private final RowlockClient client;
    private volatile boolean running;

    RowlockClientLifecycle(RowlockClient client) {
        this.client = client;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Tests pause contexts they keep; what holds locks has its reasons. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public void start() {
        client.resume();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        client.drain();
    }

    @Override
    public void stop(Runnable callback) {
        stop();
        if (client.isIdle()) {
            callback.run();
            return;
        }
        log.info(
                "Waiting for {} locks that are still held",
                client.admin().node().held());
        DaemonThreads.named("rowlock-shutdown")
                .newThread(() -> awaitIdle(callback))
                .start();
    }

    private void awaitIdle(Runnable callback) {
        try {
            while (!client.isIdle() && !running) {
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            callback.run();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
