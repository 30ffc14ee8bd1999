package io.rowlock.sample.start;

import java.io.IOException;
import java.net.ServerSocket;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;

/** Looks whether the port is free before anything else is done, above all before a database is unpacked. */
public final class PortCheck implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        int port = event.getEnvironment().getProperty("server.port", Integer.class, 8080);
        if (port > 0) {
            check(port);
        }
    }

    private static void check(int port) {
        try {
            new ServerSocket(port).close();
        } catch (IOException | IllegalArgumentException e) {
            throw NoPortException.of(port, e);
        }
    }

    /** After the properties were read, before the database. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE - 1;
    }
}
