package io.rowlock.sample.watch;

import io.rowlock.sample.node.Happened;
import io.rowlock.sample.node.NodeState;
import io.rowlock.sample.node.Nodes;
import io.rowlock.sample.node.NodesChanged;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Sends every open page what happens, as server-sent events. Thread-safe. */
@Component
@Profile("!node")
public class Stage {
    private static final int REMEMBERED = 2000;

    private final Nodes nodes;
    private final JsonMapper json;
    private final List<OpenPage> pages = new CopyOnWriteArrayList<>();

    /** What a page gets that is opened now. Guards itself and the next. */
    private final Deque<JsonNode> past = new ArrayDeque<>();

    private List<JsonNode> news = new ArrayList<>();

    private final AtomicInteger openings = new AtomicInteger();

    Stage(Nodes nodes, JsonMapper json) {
        this.nodes = nodes;
        this.json = json;
    }

    /** Opens one more page. It gets the present state at once. */
    public SseEmitter open() {
        OpenPage page = new OpenPage(new SseEmitter(0L), pages::remove);
        page.tell("nodes", nodes.views());
        synchronized (past) {
            page.tell("moments", new News(Moment.now(), List.copyOf(past)));
            pages.add(page);
        }
        openings.incrementAndGet();
        return page.emitter();
    }

    /** Whether anybody looks. */
    boolean isWatched() {
        return !pages.isEmpty();
    }

    /** Another number after every page that was opened. */
    int openings() {
        return openings.get();
    }

    /** Sends something to every page, soon. */
    public void tell(String topic, Object data) {
        pages.forEach(page -> page.tell(topic, data));
    }

    @EventListener
    void on(NodesChanged change) {
        note(json.valueToTree(
                new NodeMoment("NODE", change.node().name(), change.node().state(), change.at())));
        tell("nodes", nodes.views());
    }

    @EventListener(condition = "#happened.topic == 'moment'")
    void on(Happened happened) {
        note(happened.data());
    }

    private void note(JsonNode moment) {
        synchronized (past) {
            news.add(moment);
        }
    }

    /** Not one by one: hundreds of them come in a second. */
    @Scheduled(fixedDelay = 60)
    void tellNews() {
        synchronized (past) {
            if (news.isEmpty()) {
                return;
            }
            tell("moments", new News(Moment.now(), news));
            past.addAll(news);
            news = new ArrayList<>();
            while (past.size() > REMEMBERED) {
                past.removeFirst();
            }
        }
    }

    /** So that a page notices when the server is gone, and knows what time it is there. */
    @Scheduled(fixedDelay = 1000)
    void tellTheTime() {
        tell("time", Map.of("now", Moment.now()));
    }

    /** Ends every page; one that finds the server again opens itself anew. */
    @EventListener(ContextClosedEvent.class)
    public void close() {
        pages.forEach(OpenPage::close);
    }

    /**
     * Moments in their order.
     *
     * @param now what time it is
     */
    private record News(long now, List<JsonNode> moments) {}

    /** What happened to a node, as a {@link Moment} tells what happened to a lock. */
    private record NodeMoment(String kind, String node, NodeState state, long at) {}
}
