package io.rowlock.fault;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import io.rowlock.LockMode;
import io.rowlock.store.StoreCapabilities;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The scenarios of every store, and those of scripts. */
final class RedisScenarios {
    private RedisScenarios() {}

    static List<Scenario> all(RedisSetup setup, StoreCapabilities capabilities) {
        Scenarios scenarios = new Scenarios();
        scenarios.ofEvery(setup);
        scenarios.ofReaders(setup);
        scenarios.ofLeases(setup);
        if (setup.replicas == 0) { // else a fail-over may lose a lock, and no role has a leader
            scenarios.ofLeaders(setup);
        }
        if (capabilities.modes().contains(LockMode.PERMIT)) {
            scenarios.ofReadersAndPermits(setup);
            scenarios.add("permit of a dead holder", setup, ofSeconds(1), Scenarios::permitOfTheDead);
        }
        scenarios.add("scripts are lost", setup, RedisScenarios::scriptsAreLost);
        scenarios.add("token is raised", setup, RedisScenarios::tokenIsRaised);
        return scenarios.all();
    }

    /** Each command is sent twice: by its digest, and then whole. */
    private static void scriptsAreLost(Stage stage) throws Exception {
        RedisScene scene = (RedisScene) stage.scene();
        stage.step("the rival takes the key", () -> stage.take("b", stage.rival, stage.write()));
        stage.step("the server forgets its scripts", scene::flushScripts);
        stage.step("the subject waits", () -> stage.ask("a", stage.subject, stage.write()));
        stage.step("the rival gives it back", () -> {
            stage.sleep(ofMillis(80));
            stage.release("b");
        });
        stage.step("the subject has it", () -> stage.answer("a"));
        stage.step("the server forgets its scripts", scene::flushScripts);
        stage.step("the subject gives it back", () -> stage.release("a"));
        stage.step("the rival takes it", () -> stage.take("b", stage.rival, stage.write()));
        stage.step("the rival gives it back", () -> stage.release("b"));
    }

    /** A server that has lost its data and whose clock is behind grants smaller tokens than the database has seen. */
    private static void tokenIsRaised(Stage stage) throws Exception {
        AtomicLong seen = new AtomicLong();
        stage.step("the subject takes the key", () -> stage.take("a", stage.subject, stage.write()));
        stage.step("the database has seen a greater token", () -> {
            if (stage.has("a")) {
                stage.leave("a");
                long greater = stage.lock("a").fencingToken() + TimeUnit.MINUTES.toMicros(1);
                if (((RedisProgram) stage.subject).raise(stage.lock("a"), greater)) {
                    seen.set(greater);
                }
            }
        });
        stage.step(
                "the rival takes it",
                () -> stage.take("b", stage.rival, stage.write().withWaitTime(ofMillis(200))));
        stage.step("the rival's token is greater", () -> {
            if (stage.has("b") && stage.lock("b").fencingToken() <= seen.get()) {
                stage.judge.violation("token", stage.lock("b") + " after " + seen);
            }
        });
        stage.step("the subject gives back what it may have", () -> stage.release("a"));
        stage.step("the rival has it still", () -> {
            if (stage.has("b")) {
                stage.lock("b").extend(Stage.TTL);
            }
        });
        stage.step("the rival gives it back", () -> stage.release("b"));
    }
}
