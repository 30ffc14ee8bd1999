package io.rowlock.fault;

import io.rowlock.DistributedLockException;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * One run of a scenario. When it has been played, the faults are over: then the subject must get the key within a time, keep
 * it though what was late arrives, and the rival must get it after that.
 *
 * @param scenario what is played
 * @param faults which requests meet which fault
 */
record FaultRun(Scenario scenario, Map<Integer, Fault> faults) {
    /** A live process knows that it may have left something behind, and ends it. */
    private static final Duration SOON = Duration.ofMillis(2_500);

    /** What arrives late may take the key for its ttl, because no process waits for its answer any more. */
    private static final Duration AFTER_LATE = Stage.TTL.plusMillis(2_000);

    private static final String BLOCKED = "key blocked";

    /** Violations of what may only have taken too long. */
    static final String HUNG = "hung";

    static final String LOST = "live lease lost";

    /** An overlap is seen again and again. */
    private static final int MOST = 3;

    private static final Duration BACK = Duration.ofSeconds(12);

    /**
     * What came of a run.
     *
     * @param requests what the subject asked, without what the aftermath took
     * @param met the faults that were met
     * @param violations empty if all is well
     * @param story what happened
     */
    record Outcome(
            FaultRun run, List<Request> requests, Map<Integer, Fault> met, List<String> violations, String story) {

        /** Whether nothing went wrong that was not to. */
        boolean isUndisturbed() {
            return violations.isEmpty() && !requests.isEmpty() && (!met.isEmpty() || !story.contains("Exception"));
        }

        /** Whether something only took too long. */
        boolean isOnlySlow() {
            return !violations.isEmpty()
                    && violations.stream()
                            .allMatch(violation -> violation.startsWith(BLOCKED) || violation.startsWith(HUNG));
        }

        String describe() {
            String where = met.entrySet().stream()
                    .map(fault -> "request %d, %s: %s"
                            .formatted(fault.getKey(), fault.getValue(), requests.get(fault.getKey() - 1)))
                    .collect(Collectors.joining("\n  "));
            return "%s%n  %s%n  %s%n%s  again: -Drowlock.test.faults.only='%s'"
                    .formatted(
                            run.scenario(),
                            where,
                            String.join("\n  ", violations.subList(0, Math.min(MOST, violations.size()))),
                            story,
                            run.id());
        }
    }

    /** What it is called where it alone is to be run. */
    String id() {
        return scenario.id()
                + faults.entrySet().stream()
                        .map(fault -> fault.getKey() + "=" + fault.getValue())
                        .collect(Collectors.joining(",", "#", ""));
    }

    Outcome play(Theatre theatre, String key) {
        FaultPlan plan = new FaultPlan(faults);
        try {
            Scene scene = theatre.begin(scenario, key, plan, faults.isEmpty() ? Stage.LONG : Stage.SHORT);
            Stage stage = new Stage(scenario, scene, key, plan);
            try {
                playOn(stage);
            } finally {
                close(stage);
            }
            return new Outcome(this, plan.requests(), plan.met(), stage.judge.violations(), stage.story());
        } catch (Exception e) {
            throw new IllegalStateException(id(), e);
        }
    }

    private void playOn(Stage stage) throws Exception {
        try {
            scenario.play().on(stage);
            stage.releaseAll();
            stage.plan.over();
            aftermath(stage);
            scenarioEnded(stage);
        } catch (TimeoutException e) {
            stage.judge.violation(HUNG, "a thread that asked for the key");
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception | AssertionError e) {
            stage.judge.violation("unexpected", e.toString());
            stage.tell(e.toString());
            for (StackTraceElement element : e.getStackTrace()) {
                stage.tell("    at " + element);
            }
        }
    }

    private void aftermath(Stage stage) throws Exception {
        LockRequest request = LockRequest.exclusive(stage.key);
        boolean late = scenario.setup().isLateRequestOfEffect() && stage.plan.has(Fault.REQUEST_LATE);
        Duration limit = (late ? AFTER_LATE : SOON).plus(scenario.blocks());
        get(stage, "again", stage.subject, request, limit);
        stage.step("the rival tries", () -> stage.take("b", stage.rival, request));
        stage.step("all that is late arrives", () -> stage.plan.deliverAll());
        stage.step("the rival waits", () -> {
            if (!stage.has("b")) {
                stage.take("b", stage.rival, request.withWaitTime(Duration.ofMillis(50)));
            }
        });
        stage.step("the subject has it still", () -> {
            if (stage.has("again")) {
                extend(stage);
            }
        });
        stage.releaseAll();
        stage.step("what comes last arrives", () -> stage.plan.deliverLast());
        get(stage, "last", stage.rival, request, SOON);
        stage.releaseAll();
    }

    /**
     * Asks the store whether the lock is held. A lock that ends with its session is lost with an answer that does not come in time, and
     * any other one if that comes after its time, which on a busy machine says nothing of the fault.
     */
    private static void extend(Stage stage) {
        long start = System.nanoTime();
        long remaining = stage.lock("again").remaining().toNanos();
        try {
            stage.lock("again").extend(Stage.TTL);
        } catch (LockLostException e) {
            long took = System.nanoTime() - start;
            long most = stage.setup().isLasting() ? remaining : Stage.SHORT.toNanos();
            stage.judge.violation(took < most ? LOST : HUNG, String.valueOf(e.getMessage()));
        }
    }

    /** A program gets the key in time, whatever it has to try again for: connections may turn out to be dead. */
    private static void get(Stage stage, String name, Program program, LockRequest request, Duration limit)
            throws Exception {
        long start = System.nanoTime();
        stage.step(name + ": " + program.owner() + " takes the key", () -> {
            long left = limit.toNanos();
            while (!stage.has(name) && left > 0) {
                stage.take(name, program, request.withWaitTime(Duration.ofNanos(left)));
                left = limit.toNanos() - (System.nanoTime() - start);
            }
        });
        if (!stage.has(name)) {
            stage.judge.violation(
                    BLOCKED, "%s did not get it within %d ms".formatted(program.owner(), limit.toMillis()));
        }
    }

    private static void scenarioEnded(Stage stage) throws Exception {
        stage.scene().judge(stage.judge);
        long end = System.nanoTime() + BACK.toNanos();
        List<String> leaks = stage.leaks();
        while (!leaks.isEmpty() && end - System.nanoTime() > 0) {
            TimeUnit.MILLISECONDS.sleep(100); // between two looks for connections that have not come back
            stage.step("what has run out ends with the next use", () -> {
                stage.take("spare", stage.subject, LockRequest.exclusive(stage.key + "-other"));
                stage.release("spare");
            });
            leaks = stage.leaks();
        }
        if (!leaks.isEmpty()) {
            stage.judge.violation("leaked", leaks.toString());
        }
    }

    private static void close(Stage stage) {
        long start = System.nanoTime();
        try {
            stage.close();
        } catch (DistributedLockException e) {
            stage.judge.violation("unexpected", "at the end: " + e);
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        if (millis > 10_000) {
            stage.judge.violation(HUNG, "the clients took %d ms to close".formatted(millis));
        }
    }
}
