package io.rowlock.stress;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.rowlock.test.OwnThreads;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** Keeps what is expected to go wrong in a test out of the log. Tests beside it, which may count what is logged, do not notice. */
public final class WithoutLog extends OwnThreads {
    private static final ThreadGroup QUIET = new ThreadGroup("without log");

    static {
        ((LoggerContext) LoggerFactory.getILoggerFactory()).addTurboFilter(new OfOtherThreads());
    }

    public WithoutLog() {
        super(QUIET);
    }

    private static final class OfOtherThreads extends TurboFilter {
        @Override
        public FilterReply decide(
                @Nullable Marker marker,
                Logger logger,
                Level level,
                @Nullable String format,
                Object @Nullable [] arguments,
                @Nullable Throwable thrown) {
            return QUIET.parentOf(Thread.currentThread().getThreadGroup()) ? FilterReply.DENY : FilterReply.NEUTRAL;
        }
    }
}
