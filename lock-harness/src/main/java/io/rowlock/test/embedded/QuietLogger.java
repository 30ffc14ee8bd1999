package io.rowlock.test.embedded;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/**
 * Holds a noisy library's logger at a level until closed, then gives it its former level back. With a logging system
 * other than Logback, or if the user has set a level for that logger, it does nothing.
 */
public final class QuietLogger implements AutoCloseable {

    private static final boolean LOGBACK =
            ClassUtils.isPresent("ch.qos.logback.classic.Logger", QuietLogger.class.getClassLoader());

    private final @Nullable Runnable restore;

    private QuietLogger(@Nullable Runnable restore) {
        this.restore = restore;
    }

    public static QuietLogger atError(String name) {
        return new QuietLogger(LOGBACK ? Logback.set(name, "ERROR") : null);
    }

    public static QuietLogger off(String name) {
        return new QuietLogger(LOGBACK ? Logback.set(name, "OFF") : null);
    }

    @Override
    public void close() {
        if (restore != null) {
            restore.run();
        }
    }

    /** Loaded only if Logback is there. */
    private static final class Logback {

        static @Nullable Runnable set(String name, String level) {
            if (!(LoggerFactory.getLogger(name) instanceof Logger logger) || logger.getLevel() != null) {
                return null;
            }
            logger.setLevel(Level.toLevel(level));
            return () -> logger.setLevel(null);
        }
    }
}
