package io.rowlock.sample;

import io.rowlock.sample.stage.Outbox;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
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
            String port = context.getEnvironment().getRequiredProperty("local.server.port");
            context.getBean(Outbox.class).happened(Outbox.READY, Map.of("port", port));
            System.in.transferTo(
                    OutputStream.nullOutputStream()); // until the process of the page is done with it, or gone
        }
        System.exit(0); // whatever still runs: its output has no reader any more
    }
}
