package io.rowlock.sample;

import io.rowlock.sample.node.Inbox;
import io.rowlock.sample.node.Outbox;
import java.io.IOException;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts a node: a process of the application that does the work. The sample starts several. */
public final class SampleNode {
    private SampleNode() {}

    public static void main(String[] args) throws IOException {
        Outbox.takeStandardOutput();
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(SampleApplication.class)
                .web(WebApplicationType.NONE)
                .profiles("node")
                .run(args)) {
            context.getBean(Inbox.class).serve(System.in);
        }
        System.exit(0); // whatever still runs: its output has no reader any more
    }
}
