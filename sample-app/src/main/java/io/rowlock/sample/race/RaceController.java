package io.rowlock.sample.race;

import io.rowlock.LockMode;
import io.rowlock.sample.race.Runner.Laps;
import io.rowlock.sample.stage.Happened;
import io.rowlock.sample.stage.Node;
import io.rowlock.sample.stage.Nodes;
import io.rowlock.sample.stage.Refusal;
import io.rowlock.sample.stage.Run;
import io.rowlock.sample.stage.Span;
import io.rowlock.sample.stage.Stage;
import io.rowlock.sample.stage.Visit;
import io.rowlock.sample.stage.Watch;
import io.rowlock.store.LockStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.context.event.EventListener;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * {@code POST /race}: has the nodes race for one lock, with one strategy after the other, and measures how fast it goes from
 * one to the next. {@code GET /race}: these strategies.
 */
@RestController
class RaceController {

    private static final ParameterizedTypeReference<Visit<Laps>> RACE = new ParameterizedTypeReference<>() {};
    private static final List<String> IN_ORDER = List.of("lease", "row-lock", "unique-key", "redis");
    private static final int MAX_MILLIS = 10_000;

    private final Runner runner;
    private final Nodes nodes;
    private final Watch watch;
    private final Stage stage;
    private final List<String> strategies;

    RaceController(Runner runner, Nodes nodes, Watch watch, Stage stage, List<LockStore> stores) {
        this.runner = runner;
        this.nodes = nodes;
        this.watch = watch;
        this.stage = stage;
        List<String> there = stores.stream().map(LockStore::strategy).toList();
        this.strategies = IN_ORDER.stream().filter(there::contains).toList();
    }

    /** Races on this node. */
    @PostMapping("/race/{strategy}/{key}")
    Visit<Laps> race(@PathVariable String strategy, @PathVariable String key, @RequestParam int millis) {
        return watch.withLock(key, LockMode.EXCLUSIVE, () -> runner.run(key, strategy, millis));
    }

    @GetMapping("/race")
    List<String> strategies() {
        return strategies;
    }

    @PostMapping("/race")
    synchronized List<RaceResult> run(@RequestParam(defaultValue = "2000") int millis) throws InterruptedException {
        Refusal.check("millis", millis, MAX_MILLIS);
        List<Node> runners = nodes.up(2);
        List<RaceResult> results = new ArrayList<>();
        for (String strategy : strategies) {
            RaceResult result = run(strategy, millis, runners);
            stage.tell("race", result);
            results.add(result);
        }
        return results;
    }

    private static RaceResult run(String strategy, int millis, List<Node> runners) {
        String request = "/race/%s/%s%d?millis=%d".formatted(strategy, Watch.RACE, Span.now(), millis);
        List<Laps> laps =
                Run.of(runners, runners.size(), runner -> request, RACE).results();
        return RaceResult.of(
                strategy,
                laps.stream().map(Laps::laps).toList(),
                laps.stream().map(Laps::sql).findFirst().orElse(List.of()));
    }

    @EventListener(condition = "#happened.topic == 'race progress'")
    void on(Happened happened) {
        stage.tell("racing", Map.of("node", happened.node(), "progress", happened.data()));
    }
}
