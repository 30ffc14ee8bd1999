package io.rowlock.sample.node;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What goes to and fro between the page's process and one process of a node. Thread-safe. */
final class Conversation {
    private static final Logger log = LoggerFactory.getLogger(Conversation.class);

    private final String node;
    private final Process process;
    private final JsonMapper json;
    private final BufferedWriter orders;
    private final AtomicLong lastOrder = new AtomicLong();
    private final Map<Long, CompletableFuture<JsonNode>> unanswered = new ConcurrentHashMap<>();

    Conversation(String node, Process process, JsonMapper json) {
        this.node = node;
        this.process = process;
        this.json = json;
        this.orders = process.outputWriter();
    }

    Process process() {
        return process;
    }

    <T> CompletableFuture<T> ask(String task, Object input, Class<T> type) {
        long id = lastOrder.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        unanswered.put(id, answer);
        try {
            write(json.writeValueAsString(new Order(id, task, json.valueToTree(input))));
        } catch (IOException e) {
            unanswered.remove(id);
            answer.completeExceptionally(gone());
        }
        return answer.thenApply(data -> json.treeToValue(data, type));
    }

    /** Nothing more will be asked; the node then ends by itself. */
    void sayGoodbye() {
        try {
            orders.close();
        } catch (IOException e) {
            log.debug("{} had gone already", node, e);
        }
    }

    /** Reads what the node says until it says nothing any more. */
    void listen(Consumer<Report> happened) {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                hear(json.readValue(line, Report.class), happened);
            }
        } catch (IOException | JacksonException e) {
            log.debug("{} was cut short", node, e);
        }
        unanswered.values().forEach(answer -> answer.completeExceptionally(gone()));
    }

    private void hear(Report report, Consumer<Report> happened) {
        CompletableFuture<JsonNode> asked = unanswered.remove(report.order());
        if (asked == null) {
            happened.accept(report);
        } else if (report.error() == null) {
            asked.complete(report.data());
        } else {
            asked.completeExceptionally(new NodeException("%s: %s".formatted(node, report.error())));
        }
    }

    private void write(String line) throws IOException {
        synchronized (orders) {
            orders.write(line);
            orders.newLine();
            orders.flush();
        }
    }

    private NodeException gone() {
        return new NodeException("%s is gone.".formatted(node));
    }
}
