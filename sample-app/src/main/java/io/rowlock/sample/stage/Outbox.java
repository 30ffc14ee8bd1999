package io.rowlock.sample.stage;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Tells the page's process what happens on a node: lines of JSON on its standard output. Thread-safe. */
@Component
public class Outbox {

    /** The topic of the first event, which tells the port of the node. */
    public static final String READY = "ready";

    private static @Nullable PrintStream out;

    private final JsonMapper json;
    private final String node;

    Outbox(JsonMapper json, @Value("${sample.node}") String node) {
        this.json = json;
        this.node = node;
    }

    /** Reserves standard output for events: the log goes to standard error. */
    public static void useStandardOutput() {
        out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
    }

    /** Tells what happened; does nothing in the page's own process. */
    public void happened(String topic, Object data) {
        if (out != null) {
            out.println(json.writeValueAsString(new Happened(node, topic, json.valueToTree(data))));
        }
    }
}
