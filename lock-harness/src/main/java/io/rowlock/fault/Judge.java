package io.rowlock.fault;

import io.rowlock.HeldLock;
import io.rowlock.leader.LeaderElection;
import io.rowlock.stress.Oracle;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Judges one run: who believes to hold what is looked at every few milliseconds, all by one clock. A row lock ends with its
 * session, which its holder cannot know at once, so there only beliefs that exclude each other for a while are a violation;
 * and where sessions are killed, neither these nor the order in which holders learn their tokens. Thread-safe.
 */
final class Judge {
    private static final long A_WHILE = TimeUnit.MILLISECONDS.toNanos(200);

    private final Oracle oracle = new Oracle();
    private final FaultPlan plan;
    private final boolean lasting;
    private final List<Belief> beliefs = new CopyOnWriteArrayList<>();
    private final List<LeaderElection> candidates = new CopyOnWriteArrayList<>();
    private long togetherSince;

    /** @param lasting whether locks of the strategy last for their ttl, whatever becomes of sessions */
    Judge(FaultPlan plan, boolean lasting) {
        this.plan = plan;
        this.lasting = lasting;
    }

    /** A program was granted a lock. */
    synchronized Belief granted(Program program, HeldLock lock) {
        long asked = System.nanoTime();
        long deadline = asked + lock.remaining().toNanos();
        Oracle.@Nullable Claim claim = null;
        if (lasting || !plan.hasKill()) {
            claim = oracle.enter(
                    lock.key(), lock.mode(), Stage.PERMITS, lock.fencingToken(), program.owner(), deadline);
        }
        if (!lasting && claim != null) {
            claim.leave(); // its token is judged
            claim = null;
        }
        Belief belief = new Belief(lock, program, claim);
        beliefs.add(belief);
        return belief;
    }

    /** @see Belief#mayBeLost */
    synchronized void mayBeLost(Belief belief) {
        belief.mayBeLost();
    }

    /** A program is about to give it back. */
    synchronized void leaves(Belief belief) {
        belief.leave();
        beliefs.remove(belief);
    }

    void stands(LeaderElection candidate) {
        candidates.add(candidate);
    }

    /** Looks at all that is believed. */
    synchronized void look() {
        for (Belief belief : beliefs) {
            boolean isGivenUp = belief.isLosable() && plan.has(Fault.REQUEST_LATE);
            if (!belief.look() && lasting && !isGivenUp) {
                // Single faults are over by then, so the machine was busy, or nothing will ever be said
                violation(belief.isUnproven() ? FaultRun.HUNG : FaultRun.LOST, belief.toString());
            }
        }
        if (!lasting && !plan.hasKill()) {
            lookForLastingOverlap();
        }
        for (LeaderElection one : candidates) {
            for (LeaderElection other : candidates) {
                if (one != other && one.isLeader() && other.isLeader() && one.isLeader()) {
                    violation("two leaders", one + " and " + other);
                }
            }
        }
    }

    private void lookForLastingOverlap() {
        List<Belief> held = beliefs.stream().filter(Belief::isHeld).toList();
        boolean together =
                held.stream().anyMatch(one -> held.stream().anyMatch(other -> other != one && one.excludes(other)));
        long now = System.nanoTime();
        togetherSince = !together ? 0 : togetherSince == 0 ? now : togetherSince;
        if (together && now - togetherSince > A_WHILE) {
            violation("overlap", held.toString());
        }
    }

    void violation(String kind, String details) {
        if (oracle.violations().size() < 5) {
            oracle.violation(kind, details);
        }
    }

    List<String> violations() {
        return oracle.violations();
    }
}
