package io.rowlock.client;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What is warned of that names a schema, be it as a role or in a key: other classes are tested at the same time. */
final class Warnings implements AutoCloseable {
    private final String named;
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.rowlock");
    private final ListAppender<ILoggingEvent> seen = new ListAppender<>();

    Warnings(String named) {
        this.named = named;
        seen.list = new CopyOnWriteArrayList<>();
        seen.start();
        logger.addAppender(seen);
    }

    long count() {
        return messages().size();
    }

    List<String> messages() {
        return seen.list.stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .filter(message -> message.contains(named))
                .toList();
    }

    @Override
    public String toString() {
        return messages().toString();
    }

    @Override
    public void close() {
        logger.detachAppender(seen);
    }
}
