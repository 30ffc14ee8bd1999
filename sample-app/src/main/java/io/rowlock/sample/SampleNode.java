package io.rowlock.sample;

import io.rowlock.sample.stage.Inbox;
import io.rowlock.sample.stage.Outbox;
import java.io.IOException;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts a node: this application in a process of its own, which does the work. The sample starts several. */
public final class SampleNode {

    private SampleNode() {}

    public static void main(String[] args) throws IOException {
        Outbox.useStandardOutput();
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(SampleApplication.class)
                .profiles("node")
                .run(args)) {
            context.getBean(Inbox.class).serve(System.in);
        }
        System.exit(0); // whatever still runs: its output has no reader any more
    }
}
