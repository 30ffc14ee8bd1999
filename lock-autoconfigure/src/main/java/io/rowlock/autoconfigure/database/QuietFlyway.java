package io.rowlock.autoconfigure.database;

import org.flywaydb.core.api.logging.Log;
import org.flywaydb.core.api.logging.LogCreator;
import org.flywaydb.core.api.logging.LogFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flyway's log lines while it migrates the lock tables: what it reports is at DEBUG, and so is its warning about a server newer
 * than those that it was verified with, because Rowlock runs its scripts on such servers in its own tests. Other warnings and
 * errors stay. Closing it gives the application's Flyway its log back.
 */
final class QuietFlyway implements AutoCloseable {
    private static final String NEWER_SERVER = "newer than the version Flyway has been verified with";

    private QuietFlyway() {}

    /** To be called after the Flyway was made, which chooses its log anew. */
    static QuietFlyway begin() {
        LogCreator atDebug = type -> new LogAtDebug(LoggerFactory.getLogger(type));
        LogFactory.setLogCreator(atDebug);
        return new QuietFlyway();
    }

    @Override
    public void close() {
        LogFactory.setLogCreator(null);
    }

    private record LogAtDebug(Logger logger) implements Log {
        /** Abstract in Flyway 11, which Spring Boot 4.0 has; deprecated since. */
        @Override
        @SuppressWarnings("deprecation")
        public boolean isDebugEnabled() {
            return logger.isTraceEnabled();
        }

        @Override
        public void debug(String message) {
            logger.trace(message);
        }

        @Override
        public void info(String message) {
            logger.debug(message);
        }

        @Override
        public void notice(String message) {
            logger.debug(message);
        }

        @Override
        public void warn(String message) {
            if (message.contains(NEWER_SERVER)) {
                logger.debug(message);
            } else {
                logger.warn(message);
            }
        }

        @Override
        public void error(String message) {
            logger.error(message);
        }

        @Override
        public void error(String message, Exception cause) {
            logger.error(message, cause);
        }
    }
}
