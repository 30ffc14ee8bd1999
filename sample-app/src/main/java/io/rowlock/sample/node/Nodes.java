package io.rowlock.sample.node;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The nodes of the application, each a process of its own. They share the database and nothing else. */
@Component
@Profile("!node")
public class Nodes implements SmartLifecycle {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final List<Node> nodes;
    private final boolean bySignal;
    private final ApplicationEventPublisher events;
    private volatile boolean running;

    public Nodes(
            Launcher launcher,
            JsonMapper json,
            ApplicationEventPublisher events,
            @Value("${sample.nodes}") int count,
            @Value("${sample.pause-by-signal:#{null}}") Boolean signals) {
        this.events = events;
        this.bySignal = Objects.requireNonNullElse(signals, knowsSignals());
        this.nodes = IntStream.rangeClosed(1, count)
                .mapToObj(number -> new Node("node-" + number, launcher, json, bySignal, this::tell, this::tellChange))
                .toList();
    }

    /** Whether one that is paused does nothing at all; otherwise it sends no statement, but goes on in all else. */
    public boolean arePausedBySignal() {
        return bySignal;
    }

    /** All of them, as they are now. */
    public List<NodeView> views() {
        return nodes.stream().map(Node::view).toList();
    }

    /** How many there are. */
    public int size() {
        return nodes.size();
    }

    /** The one with a name. */
    public Optional<Node> find(String name) {
        return nodes.stream().filter(node -> node.name().equals(name)).findFirst();
    }

    /**
     * Those that do what they are asked to, once all have come up that were started.
     *
     * @param atLeast how many there have to be
     * @throws NodeException if there are fewer
     */
    public List<Node> up(int atLeast) throws InterruptedException {
        awaitStarting();
        List<Node> up = nodes.stream().filter(Node::isUp).toList();
        if (up.size() < atLeast) {
            throw new NodeException("This takes %d node%s that %s up, but there %s %d: start one, or resume it."
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
        while (nodes.stream().anyMatch(Node::isStarting)) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new NodeException("A node is still starting after %d seconds.".formatted(PATIENCE.toSeconds()));
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private void tell(Node node, Report report) {
        if (report.topic() != null && report.data() != null) {
            events.publishEvent(new Happened(node.name(), report.topic(), report.data()));
        }
    }

    private void tellChange(Node node) {
        events.publishEvent(new NodesChanged(node.view(), ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now())));
    }

    private static boolean knowsSignals() {
        return !System.getProperty("os.name").startsWith("Windows");
    }

    @Override
    public void start() {
        running = true;
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

    /** After the web server: the page is there before the nodes are. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
