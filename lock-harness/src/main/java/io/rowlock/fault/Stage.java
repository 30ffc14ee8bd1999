package io.rowlock.fault;

import io.rowlock.DistributedLockException;
import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.RowlockClient;
import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderRole;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where a scenario is played: a program whose requests meet faults, the subject, and others that talk to the server
 * directly. Steps are played one after another on one thread.
 */
final class Stage implements AutoCloseable {
    /** After how long an answer is given up where one is lost. */
    static final Duration SHORT = Duration.ofMillis(400);

    /** Longer than the server lets one wait for a row. */
    static final Duration LONG = Duration.ofSeconds(2);

    /** No call takes longer than what it was ready to wait, and this. */
    private static final Duration LONGEST_CALL = Duration.ofSeconds(5);

    /** Those who wait for a lock wait that long. */
    static final Duration PATIENCE = Duration.ofSeconds(3);

    static final int PERMITS = 2;

    /** How long a lease lasts without a renewal, if nothing else is said. */
    static final Duration TTL = Duration.ofSeconds(4);

    final String key;
    final Judge judge;
    final FaultPlan plan;
    final Program subject;
    final Program rival;
    private final Scenario scenario;
    private final Scene scene;
    private final Map<String, Program> others = new LinkedHashMap<>();
    private final Map<String, Belief> held = new LinkedHashMap<>();
    private final Map<String, Asked> asked = new LinkedHashMap<>();
    private final Deque<LeaderElections> elections = new ArrayDeque<>();
    private final StringBuilder story = new StringBuilder();
    private final long start = System.nanoTime();

    Stage(Scenario scenario, Scene scene, String key, FaultPlan plan) {
        this.scenario = scenario;
        this.scene = scene;
        this.key = key;
        this.plan = plan;
        this.judge = new Judge(plan, scenario.setup().isLasting());
        this.subject = scene.subject();
        this.rival = other("rival");
        Watch.over(judge);
    }

    /** A program that no fault meets. */
    Program other(String name) {
        return others.computeIfAbsent(name, scene::other);
    }

    LockRequest write() {
        return LockRequest.exclusive(key);
    }

    LockRequest read() {
        return LockRequest.shared(key);
    }

    /** One of {@value #PERMITS}. */
    LockRequest permit() {
        return LockRequest.permit(key, PERMITS);
    }

    /** Something a program does. */
    interface Action {
        void run() throws Exception;
    }

    /** A failure reaches a program as an exception of the library; anything else is not expected. */
    void step(String what, Action action) throws Exception {
        tell(what);
        long began = System.nanoTime();
        try {
            action.run();
        } catch (DistributedLockException e) {
            tell("  " + e.getClass().getSimpleName() + ": " + e.getMessage());
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        if (took.compareTo(PATIENCE.plus(LONGEST_CALL)) > 0) {
            judge.violation("hung", "\"%s\" took %s".formatted(what, took));
        }
        judge.look();
        plan.stepDone();
    }

    void tell(String what) {
        synchronized (story) {
            story.append("%6d ms  %s%n".formatted((System.nanoTime() - start) / 1_000_000, what));
        }
    }

    String story() {
        synchronized (story) {
            return story.toString();
        }
    }

    /** Takes a lock, which is called that from then on. */
    void take(String name, Program program, LockRequest request) {
        take(name, program, client -> client.tryAcquire(request));
    }

    void take(String name, Program program, Function<RowlockClient, Optional<HeldLock>> how) {
        if (held.containsKey(name)) {
            return;
        }
        granted(name, program, how).ifPresent(belief -> held.put(name, belief));
    }

    /** @return whether it is held now */
    boolean has(String name) {
        Belief belief = held.get(name);
        return belief != null && belief.isHeld();
    }

    HeldLock lock(String name) {
        return belief(name).lock;
    }

    private Belief belief(String name) {
        return Objects.requireNonNull(held.get(name), name);
    }

    private Optional<Belief> granted(String name, Program program, Function<RowlockClient, Optional<HeldLock>> how) {
        try {
            Optional<Belief> belief = how.apply(program.client()).map(lock -> judge.granted(program, lock));
            tell("  " + name + ": " + belief.map(Belief::toString).orElse("busy"));
            return belief;
        } catch (DistributedLockException e) {
            tell("  " + name + ": " + e.getClass().getSimpleName() + ": " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Another thread of that program asks, and waits. */
    void ask(String name, Program program, LockRequest request) {
        asked.put(
                name,
                new Asked(() -> granted(name, program, client -> client.tryAcquire(request.withWaitTime(PATIENCE)))));
    }

    /** What became of it. */
    void answer(String name) throws Exception {
        Asked question = asked.remove(name);
        if (question != null) {
            question.get(PATIENCE.plus(LONGEST_CALL).toMillis()).ifPresent(belief -> held.put(name, belief));
        }
    }

    /** Closes a lock, if it was granted. */
    void release(String name) {
        Belief belief = held.remove(name);
        if (belief != null) {
            judge.leaves(belief);
            belief.lock.close();
        }
    }

    /** Its holder does not count on it any more. */
    void leave(String name) {
        judge.leaves(belief(name));
    }

    Setup setup() {
        return scenario.setup();
    }

    /** It is about to become another lease; if that comes late, its holder may give it up. */
    void changes(String name) {
        Belief belief = held.get(name);
        if (belief != null) {
            judge.mayBeLost(belief);
        }
    }

    /** It is never closed. */
    void forget(String name) {
        held.remove(name);
    }

    /** Time is part of a scenario: a body that lasts, a waiter that has joined the queue, a renewal that is due. */
    void sleep(Duration time) throws InterruptedException {
        Thread.sleep(time.toMillis());
    }

    /** A program stands for the leadership that is named like the key. */
    LeaderElection stand(Program program) throws InterruptedException {
        LeaderElections all =
                new LeaderElections(program.client(), event -> tell("  " + program.owner() + ": " + event), null);
        elections.push(all);
        LeaderElection candidate = join(all, new LeaderRole(key, Duration.ofSeconds(1), Duration.ofMillis(100), true));
        judge.stands(candidate);
        all.start();
        return candidate;
    }

    /** As an application that is started again until its server says whether leases last, within the time of a leader's change. */
    private LeaderElection join(LeaderElections all, LeaderRole role) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofMillis(1_500).toNanos();
        while (true) {
            try {
                return all.join(role);
            } catch (LockStoreException e) {
                tell("  %s: %s".formatted(e.getClass().getSimpleName(), e.getMessage()));
                if (end - System.nanoTime() < 0) {
                    throw e;
                }
                Thread.sleep(20);
            }
        }
    }

    Scene scene() {
        return scene;
    }

    /** Whatever is still held is given back; leaders step back. */
    void releaseAll() throws Exception {
        for (String name : List.copyOf(asked.keySet())) {
            answer(name);
        }
        for (String name : List.copyOf(held.keySet())) {
            try {
                release(name);
            } catch (DistributedLockException e) {
                tell("  " + name + ": " + e.getClass().getSimpleName() + ": " + e.getMessage());
            }
        }
        while (!elections.isEmpty()) {
            elections.pop().close();
        }
    }

    /** What the subject has not given back. */
    List<String> leaks() {
        return scene.leaks();
    }

    @Override
    public void close() {
        Watch.leave(judge);
        plan.over();
        others.values().forEach(Program::close);
        subject.close();
        scene.close();
    }
}
