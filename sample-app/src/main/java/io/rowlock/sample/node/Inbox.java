package io.rowlock.sample.node;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a node is asked to do: lines of JSON on its standard input. */
@Component
@Profile("node")
public class Inbox {
    private static final Logger log = LoggerFactory.getLogger(Inbox.class);

    private final JsonMapper json;
    private final Outbox outbox;
    private final Map<String, Task<?, ?>> tasks;
    private final ExecutorService orders = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "order");
        thread.setDaemon(true);
        return thread;
    });

    Inbox(JsonMapper json, Outbox outbox, List<Task<?, ?>> tasks) {
        this.json = json;
        this.outbox = outbox;
        this.tasks = tasks.stream().collect(Collectors.toMap(Task::name, Function.identity()));
    }

    /** Says that this node is there, and does what it is asked to until its input ends. */
    public void serve(InputStream in) throws IOException {
        outbox.happened(Report.READY, Map.of());
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Order order = json.readValue(line, Order.class);
            orders.execute(() -> outbox.send(answer(order)));
        }
    }

    private Report answer(Order order) {
        Task<?, ?> task = tasks.get(order.task());
        if (task == null) {
            return Report.failure(order.id(), "This node does not know how to " + order.task());
        }
        try {
            return Report.answer(order.id(), run(task, order.input()));
        } catch (Exception e) {
            log.warn("The order to {} failed: {}", order.task(), e.toString());
            return Report.failure(order.id(), String.valueOf(e.getMessage()));
        }
    }

    private <I> JsonNode run(Task<I, ?> task, @Nullable JsonNode input) throws Exception {
        return json.valueToTree(task.run(json.treeToValue(input, task.input())));
    }
}
