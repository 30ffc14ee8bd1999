package io.rowlock.sample.stage;

import io.rowlock.sample.stage.NodeView.State;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;
import org.springframework.core.env.Profiles;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The nodes of the application, each a process of its own. They share the database and nothing else. A node has none. */
@Component
public class Nodes implements SmartLifecycle {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Logger log = LoggerFactory.getLogger(Nodes.class);

    private final Environment environment;
    private final List<Node> nodes;
    private final boolean bySignal;
    private volatile boolean running;

    Nodes(
            Launcher launcher,
            JsonMapper json,
            ApplicationEventPublisher events,
            Environment environment,
            @Value("${sample.nodes}") int count,
            @Value("${sample.pause-by-signal:#{null}}") @Nullable Boolean signals) {
        this.environment = environment;
        this.bySignal = Objects.requireNonNullElse(
                signals, !System.getProperty("os.name").startsWith("Windows"));
        this.nodes = IntStream.rangeClosed(1, environment.acceptsProfiles(Profiles.of("node")) ? 0 : count)
                .mapToObj(number -> new Node("node-" + number, launcher, json, bySignal, events))
                .toList();
    }

    /** Tells whether one that is paused does nothing at all; otherwise it sends no statement, but goes on in all else. */
    public boolean arePausedBySignal() {
        return bySignal;
    }

    /** Returns all of them, as they are now. */
    public List<NodeView> views() {
        return nodes.stream().map(Node::view).toList();
    }

    /** Returns the one with a name. */
    public Optional<Node> find(String name) {
        return nodes.stream().filter(node -> node.name().equals(name)).findFirst();
    }

    /** Returns as many as wanted, or all, once they are up; refuses if there are fewer. */
    public List<Node> choose(@Nullable Integer wanted) throws InterruptedException {
        int count = Objects.requireNonNullElse(wanted, nodes.size());
        Refusal.check("nodes", count, nodes.size());
        return up(count).subList(0, count);
    }

    /** Returns those that are up, once all are that were started; refuses if there are fewer than {@code atLeast}. */
    public List<Node> up(int atLeast) throws InterruptedException {
        awaitStarting();
        List<Node> up = nodes.stream().filter(node -> node.is(State.UP)).toList();
        if (up.size() < atLeast) {
            throw Refusal.conflict("This takes %d node%s that %s up, but there %s %d: start one, or resume it."
                    .formatted(
                            atLeast,
                            atLeast == 1 ? "" : "s",
                            atLeast == 1 ? "is" : "are",
                            up.size() == 1 ? "is" : "are",
                            up.size()));
        }
        return up;
    }

    private void awaitStarting() throws InterruptedException {
        long start = System.nanoTime();
        while (nodes.stream().anyMatch(node -> node.is(State.STARTING))) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw Refusal.conflict("A node is still starting after %d seconds.".formatted(PATIENCE.toSeconds()));
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    @Override
    public void start() {
        running = true;
        if (!nodes.isEmpty()) {
            log.info("Open http://localhost:{}; the nodes are starting", environment.getProperty("local.server.port"));
        }
        nodes.forEach(Node::start);
    }

    @Override
    public void stop() {
        running = false;
        nodes.parallelStream().forEach(Node::end);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Returns the last phase: the page is there before the nodes are. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
