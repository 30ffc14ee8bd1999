package io.rowlock.sample.stage;

import io.rowlock.sample.stage.NodeView.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.core.env.Profiles;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/**
 * The nodes of the application, each a process of its own. They share the database and nothing else. {@code GET /nodes} shows
 * them; {@code POST /nodes/{name}/{action}} starts, stops, pauses, resumes or kills one.
 */
@RestController
public class Nodes {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Map<String, Consumer<Node>> ACTIONS = new TreeMap<>(Map.of(
            "start", Node::start,
            "stop", Node::stop,
            "pause", Node::pause,
            "resume", Node::resume,
            "kill", Node::kill));
    private static final Logger log = LoggerFactory.getLogger(Nodes.class);

    private final Environment environment;
    private final List<Node> nodes;

    Nodes(
            Launcher launcher,
            JsonMapper json,
            ApplicationEventPublisher events,
            Environment environment,
            @Value("${sample.nodes}") int count) {
        this.environment = environment;
        this.nodes = IntStream.rangeClosed(1, environment.acceptsProfiles(Profiles.of("node")) ? 0 : count)
                .mapToObj(number -> new Node("node-" + number, launcher, json, events))
                .toList();
    }

    /** Returns all of them, as they are now. */
    @GetMapping("/nodes")
    public List<NodeView> views() {
        return nodes.stream().map(Node::view).toList();
    }

    @PostMapping("/nodes/{name}/{action}")
    NodeView act(@PathVariable String name, @PathVariable String action) {
        Node node = named(name);
        Refusal.checkKnown("action", action, ACTIONS.keySet());
        ACTIONS.getOrDefault(action, unknown -> {}).accept(node);
        return node.view();
    }

    /** Returns the one with a name. */
    public Node named(String name) {
        Refusal.checkKnown("node", name, nodes.stream().map(Node::name).toList());
        return nodes.stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
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
            throw Refusal.conflict("This takes %d nodes that are up, but there are %d: start one, or resume it."
                    .formatted(atLeast, up.size()));
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

    /** Starts them once the page is there. */
    @EventListener(ApplicationReadyEvent.class)
    void start() {
        if (!nodes.isEmpty()) {
            log.info("Open http://localhost:{}; the nodes are starting", environment.getProperty("local.server.port"));
        }
        nodes.forEach(Node::start);
    }

    @EventListener(ContextClosedEvent.class)
    void end() {
        nodes.parallelStream().forEach(Node::end);
    }
}
