package io.rowlock.client;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.function.Executable;
import org.slf4j.LoggerFactory;

/** The program's own appender, or filter, that throws whatever is logged. */
public final class FullDisk {
    public static final String MESSAGE = "the disk is full";

    private FullDisk() {}

    /**
     * Runs something during which a logger throws.
     *
     * @param level from which on the logger is asked, or null for the usual one
     */
    public static void during(String logger, Level level, Executable action) {
        Logger full = (Logger) LoggerFactory.getLogger(logger);
        ListAppender<ILoggingEvent> throwing = new ListAppender<>() {
            @Override
            public synchronized void doAppend(ILoggingEvent event) {
                throw new IllegalStateException(MESSAGE);
            }
        };
        full.setLevel(level);
        full.addAppender(throwing);
        try {
            action.execute();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        } finally {
            full.detachAppender(throwing);
            full.setLevel(null);
        }
    }

    public static void during(Class<?> logger, Executable action) {
        during(logger.getName(), null, action);
    }
}
