package io.rowlock.stress;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.spi.FilterReply;
import io.rowlock.test.OwnThreads;
import org.slf4j.LoggerFactory;

/** Keeps what is expected to go wrong in a test out of the log. Tests beside it, which may count what is logged, do not notice. */
public final class WithoutLog extends OwnThreads {
    private static final ThreadGroup QUIET = new ThreadGroup("without log");

    static {
        ((LoggerContext) LoggerFactory.getILoggerFactory())
                .addTurboFilter(new WithoutLog().filter((logger, level) -> FilterReply.DENY));
    }

    public WithoutLog() {
        super(QUIET);
    }
}
