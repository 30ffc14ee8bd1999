package io.rowlock.sample.watch;

import io.rowlock.sample.node.Happened;
import io.rowlock.sample.node.Nodes;
import io.rowlock.sample.node.NodesChanged;
import java.io.IOException;
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
import org.springframework.http.MediaType;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import tools.jackson.databind.JsonNode;

/** Tells every open page what happens, by server-sent events. Thread-safe. */
@Component
@Profile("!node")
public class Stage {
    private static final int REMEMBERED = 2000;

    private final Nodes nodes;
    private final List<SseEmitter> pages = new CopyOnWriteArrayList<>();

    /** What a page is told that is opened now. Guards itself and the next two. */
    private final Deque<JsonNode> past = new ArrayDeque<>();

    private List<JsonNode> news = new ArrayList<>();
    private long count;

    private final AtomicInteger openings = new AtomicInteger();

    Stage(Nodes nodes) {
        this.nodes = nodes;
    }

    /** A page more. It is told at once how things are. */
    public SseEmitter open() {
        SseEmitter page = new SseEmitter(0L);
        page.onCompletion(() -> pages.remove(page));
        page.onError(failure -> pages.remove(page));
        send(page, "nodes", nodes.views());
        pages.add(page);
        News before;
        synchronized (past) {
            before = new News(Moment.now(), count - past.size(), List.copyOf(past));
        }
        send(page, "moments", before);
        openings.incrementAndGet();
        return page;
    }

    /** Whether anybody looks. */
    boolean isWatched() {
        return !pages.isEmpty();
    }

    /** Another number after every page that was opened. */
    int openings() {
        return openings.get();
    }

    /** Tells every page. */
    public void tell(String topic, Object data) {
        pages.forEach(page -> send(page, topic, data));
    }

    @EventListener
    void on(NodesChanged change) {
        tell("node", change);
        tell("nodes", nodes.views());
    }

    @EventListener(condition = "#happened.topic == 'moment'")
    void on(Happened happened) {
        synchronized (past) {
            news.add(happened.data());
        }
    }

    /** Not one by one: hundreds of them come in a second. */
    @Scheduled(fixedDelay = 60)
    void tellNews() {
        News told;
        synchronized (past) {
            told = new News(Moment.now(), count, news);
            past.addAll(news);
            count += news.size();
            news = new ArrayList<>();
            while (past.size() > REMEMBERED) {
                past.removeFirst();
            }
        }
        if (!told.moments().isEmpty()) {
            tell("moments", told);
        }
    }

    /** So that a page notices when the server is gone, and knows what time it is there. */
    @Scheduled(fixedDelay = 1000)
    void tellTheTime() {
        tell("time", Map.of("now", Moment.now()));
    }

    @EventListener
    void on(ContextClosedEvent closed) {
        pages.forEach(SseEmitter::complete);
    }

    private void send(SseEmitter page, String topic, Object data) {
        try {
            page.send(SseEmitter.event().name(topic).data(data, MediaType.APPLICATION_JSON));
        } catch (IOException | IllegalStateException e) {
            pages.remove(page); // nobody looks at it any more
        }
    }

    /**
     * Moments in their order.
     *
     * @param now what time it is
     * @param first the number of the first; a page that is just being opened is told some twice
     */
    private record News(long now, long first, List<JsonNode> moments) {}
}
