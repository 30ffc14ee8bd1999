package io.rowlock.sample.stage;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Obeys the page's process on a node: lines on its standard input. A node ends with that input, so that none outlives the page.
 */
@Component
public class Inbox {

    static final String FREEZE = "freeze";
    static final String THAW = "thaw";

    private final Outbox outbox;
    private final Environment environment;

    Inbox(Outbox outbox, Environment environment) {
        this.outbox = outbox;
        this.environment = environment;
    }

    /** Tells the port of this node, and obeys until the input ends. */
    public void serve(InputStream in) throws IOException {
        outbox.happened(Outbox.READY, Map.of("port", environment.getRequiredProperty("local.server.port")));
        BufferedReader orders = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            SqlWatch.freeze(order.equals(FREEZE));
            outbox.happened(Outbox.FROZEN, Map.of());
        }
        SqlWatch.freeze(false); // a node that can no longer be resumed releases what it holds
    }
}
