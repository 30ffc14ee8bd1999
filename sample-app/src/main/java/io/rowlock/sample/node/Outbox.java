package io.rowlock.sample.node;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** What a node tells the page's process: lines of JSON on its standard output. Thread-safe. */
@Component
@Profile("node")
public class Outbox {
    private static final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private final JsonMapper json;

    Outbox(JsonMapper json) {
        this.json = json;
    }

    /** From now on only this class writes there: the log goes to standard error. */
    public static void takeStandardOutput() {
        System.setOut(System.err);
    }

    /** Tells what happened. */
    public void happened(String topic, Object data) {
        send(Report.happened(topic, json.valueToTree(data)));
    }

    void send(Report report) {
        out.println(json.writeValueAsString(report));
    }
}
