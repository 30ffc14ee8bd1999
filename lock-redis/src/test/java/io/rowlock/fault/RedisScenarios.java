package io.rowlock.fault;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import io.rowlock.LockMode;
import io.rowlock.store.StoreCapabilities;
import java.util.List;

/** The scenarios of every store, and those of scripts. */
final class RedisScenarios {
    private RedisScenarios() {}

    static List<Scenario> all(StoreCapabilities capabilities) {
        Scenarios scenarios = new Scenarios();
        scenarios.ofEvery(RedisSetup.REDIS);
        scenarios.ofReaders(RedisSetup.REDIS);
        scenarios.ofLeases(RedisSetup.REDIS);
        if (capabilities.modes().contains(LockMode.PERMIT)) {
            scenarios.ofPermits(RedisSetup.REDIS);
            scenarios.add("permit of a dead holder", RedisSetup.REDIS, ofSeconds(1), Scenarios::permitOfTheDead);
        }
        scenarios.add("scripts are lost", RedisSetup.REDIS, RedisScenarios::scriptsAreLost);
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
}
