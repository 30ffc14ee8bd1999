package io.rowlock.sample.watch;

import io.rowlock.sample.node.Outbox;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Shows the page what SQL runs in the background. Thread-safe. */
@Component
@Profile("node")
public class SqlShown {
    static final String TOPIC = "sql";

    private final Outbox outbox;
    private final Map<String, SqlTrace> traces = new ConcurrentHashMap<>();

    SqlShown(Outbox outbox) {
        this.outbox = outbox;
    }

    /** Runs something and shows what it sends from this thread, if it has never sent as much before. */
    public void as(String topic, Runnable what) {
        SqlTrace trace = traces.computeIfAbsent(topic, any -> new SqlTrace());
        List<String> before = trace.statements();
        try {
            trace.noting(() -> {
                what.run();
                return true;
            });
        } finally {
            List<String> statements = trace.statements();
            if (!statements.equals(before)) {
                outbox.happened(TOPIC, new Seen(topic, statements));
            }
        }
    }

    /**
     * What ran.
     *
     * @param topic as what it is shown
     * @param statements in their order
     */
    record Seen(String topic, List<String> statements) {}
}
