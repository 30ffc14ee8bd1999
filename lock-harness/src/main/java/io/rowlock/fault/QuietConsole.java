package io.rowlock.fault;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.Iterator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Keeps what thousands of faults bring about off the console while a class is tested. Loggers keep their levels: other classes
 * run beside it, and count what is logged.
 */
final class QuietConsole implements BeforeAllCallback, AfterAllCallback {
    private static int classes;

    @Override
    public void beforeAll(ExtensionContext test) {
        if (enter(1) == 1) {
            console().addFilter(new Filter<>() {
                @Override
                public FilterReply decide(ILoggingEvent event) {
                    return FilterReply.DENY;
                }
            });
        }
    }

    @Override
    public void afterAll(ExtensionContext test) {
        if (enter(-1) == 0) {
            console().clearAllFilters();
        }
    }

    private static synchronized int enter(int more) {
        classes += more;
        return classes;
    }

    private static Appender<ILoggingEvent> console() {
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        for (Iterator<Appender<ILoggingEvent>> all = root.iteratorForAppenders(); all.hasNext(); ) {
            Appender<ILoggingEvent> appender = all.next();
            if (appender instanceof ConsoleAppender) {
                return appender;
            }
        }
        throw new IllegalStateException("There is no console to keep quiet");
    }
}
