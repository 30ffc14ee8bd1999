package io.rowlock.client.lock;

import io.rowlock.LockEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Interrupts threads whose locks are lost while they work under them. No such interrupt outlasts that work. A thread is in it
 * only while it does such work.
 *
 * <p>Thread-safe: a thread is interrupted, and its work ended, under its entry of the map, one at a time. So there
 * is no interrupt once {@link Body#end} has returned.
 */
final class LossInterrupts {
    final ConcurrentMap<Thread, Bodies> threads = new ConcurrentHashMap<>();

    /** The work a thread does under locks, nested or not. Guarded by its entry of the map. */
    private static final class Bodies {
        private final List<Body> open = new ArrayList<>(2);
        private final Set<Loss> losses = new HashSet<>(2);

        /** True if the interrupt flag of the thread, if it is set, was set by us. */
        private boolean flagged;
    }

    /** Nested grants of one lease lose it together, which is one reason to interrupt, not two. */
    private record Loss(String strategy, String key, long token) {}

    /** The calling thread begins to work under a lock. */
    Body begin() {
        Body body = new Body();
        threads.compute(body.thread, (thread, present) -> {
            Bodies bodies = present == null ? new Bodies() : present;
            bodies.open.add(body);
            return bodies;
        });
        return body;
    }

    /** Ends all work of a thread that has ended. */
    void ended(Thread thread) {
        threads.remove(thread);
    }

    /** The work of one thread under one lock, of one key or several. */
    final class Body {
        private final Thread thread = Thread.currentThread();

        /** Guarded by the entry of the map. */
        private boolean hit;

        /** The lock is lost, or a part of it. Unless the work has ended, the thread is interrupted, once. */
        void lost(LockEvent event) {
            threads.computeIfPresent(thread, (worker, bodies) -> {
                if (!hit && bodies.open.contains(this)) {
                    hit = true;
                    if (bodies.losses.add(new Loss(event.strategy(), event.key(), event.fencingToken()))) {
                        bodies.flagged |= !thread.isInterrupted();
                        thread.interrupt();
                    }
                }
                return bodies;
            });
        }

        /** As {@link #lost}, unless the thread itself found the loss: it gets an exception, and may have to roll back. */
        void lostUnlessFoundOut(LockEvent event) {
            if (Thread.currentThread() != thread) {
                lost(event);
            }
        }

        /** The work has ended; an interrupt of ours that it did not notice is cleared, if this is the thread. */
        void end() {
            threads.computeIfPresent(thread, (worker, bodies) -> {
                if (bodies.open.remove(this)
                        && bodies.flagged
                        && bodies.open.stream().noneMatch(body -> body.hit)) {
                    bodies.flagged = false;
                    boolean unused = Thread.currentThread() == thread && Thread.interrupted();
                }
                return bodies.open.isEmpty() ? null : bodies;
            });
        }
    }
}
