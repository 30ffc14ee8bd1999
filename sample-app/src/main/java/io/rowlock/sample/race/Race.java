package io.rowlock.sample.race;

import io.rowlock.sample.node.Happened;
import io.rowlock.sample.node.Node;
import io.rowlock.sample.node.NodeException;
import io.rowlock.sample.node.Nodes;
import io.rowlock.sample.watch.LockWatch;
import io.rowlock.sample.watch.Moment;
import io.rowlock.sample.watch.Stage;
import io.rowlock.sample.watch.Strategies;
import io.rowlock.sample.work.Shares;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/** Has the nodes race for one lock, held by one strategy after the other, and measures how fast it goes from one to the next. */
@Service
@Profile("!node")
class Race {
    private final Nodes nodes;
    private final Stage stage;
    private final Strategies strategies;
    private final ReentrantLock only = new ReentrantLock();

    Race(Nodes nodes, Stage stage, Strategies strategies) {
        this.nodes = nodes;
        this.stage = stage;
        this.strategies = strategies;
    }

    List<RaceResult> run(int millis) throws InterruptedException {
        if (!only.tryLock()) {
            throw new NodeException("A race is under way already.");
        }
        try {
            List<Node> runners = nodes.up(2);
            List<RaceResult> results = new ArrayList<>();
            for (String strategy : strategies.names()) {
                RaceResult result = run(strategy, millis, runners);
                stage.tell("race", result);
                results.add(result);
            }
            return results;
        } finally {
            only.unlock();
        }
    }

    private RaceResult run(String strategy, int millis, List<Node> runners) {
        RaceOrder order = new RaceOrder(strategy, LockWatch.RACE + Moment.now(), millis);
        List<RaceOrder.Done> done =
                Shares.done(runners, "race", runner -> order, RaceOrder.Done.class, runner -> RaceOrder.Done.NOTHING);
        return RaceResult.of(
                strategy,
                done.stream().map(RaceOrder.Done::turns).toList(),
                done.get(0).sql());
    }

    @EventListener(condition = "#happened.topic == 'race progress'")
    void on(Happened happened) {
        stage.tell("racing", Map.of("node", happened.node(), "progress", happened.data()));
    }
}
