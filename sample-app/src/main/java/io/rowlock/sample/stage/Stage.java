package io.rowlock.sample.stage;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code GET /events}: sends every open page what happens, as server-sent events. Thread-safe. */
@RestController
public class Stage {
    private static final int REMEMBERED = 2000;

    private final Nodes nodes;
    private final JsonMapper json;
    private final int most;
    private final List<OpenPage> pages = new CopyOnWriteArrayList<>();

    /** The moments that a page gets when it opens. Guards itself and the next. */
    private final Deque<JsonNode> past = new ArrayDeque<>();

    private List<JsonNode> news = new ArrayList<>();

    private final AtomicInteger openings = new AtomicInteger();

    Stage(Nodes nodes, JsonMapper json, @Value("${sample.pages}") int most) {
        this.nodes = nodes;
        this.most = most;
        this.json = json;
    }

    /** Opens one more page, if there are not too many: each has a thread. It gets the present state at once. */
    @GetMapping("/events")
    public SseEmitter open() {
        synchronized (past) {
            if (pages.size() >= most) {
                throw new Refusal(HttpStatus.SERVICE_UNAVAILABLE, "%d pages are open: close one.".formatted(most));
            }
            OpenPage page = new OpenPage(new SseEmitter(0L), pages::remove);
            page.tell("nodes", nodes.views());
            page.tell("moments", new News(Span.now(), List.copyOf(past)));
            pages.add(page);
            openings.incrementAndGet();
            return page.emitter();
        }
    }

    /** Tells whether a page is open. */
    boolean isWatched() {
        return !pages.isEmpty();
    }

    /** Returns another number after every page that was opened. */
    int openings() {
        return openings.get();
    }

    /** Sends something to every page, soon. */
    public void tell(String topic, Object data) {
        pages.forEach(page -> page.tell(topic, data));
    }

    @EventListener
    void on(Node.Changed change) {
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

    /** Sends the news, not one by one: hundreds of them come in a second. */
    @Scheduled(fixedDelay = 60)
    void tellNews() {
        synchronized (past) {
            if (news.isEmpty()) {
                return;
            }
            tell("moments", new News(Span.now(), news));
            past.addAll(news);
            news = new ArrayList<>();
            while (past.size() > REMEMBERED) {
                past.removeFirst();
            }
        }
    }

    /** Sends the time, so that a page knows it, and notices when the server is gone. */
    @Scheduled(fixedDelay = 1000)
    void tellTheTime() {
        tell("time", Map.of("now", Span.now()));
    }

    /** Ends every page; one that finds the server again opens itself anew. */
    @EventListener(ContextClosedEvent.class)
    public void close() {
        pages.forEach(OpenPage::close);
    }

    /**
     * Moments in their order.
     *
     * @param now the time
     */
    private record News(long now, List<JsonNode> moments) {}

    /** An event of a node, as a {@link Moment} is one of a lock. */
    private record NodeMoment(String kind, String node, NodeView.State state, long at) {}
}
