package io.rowlock.stress;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Keeps what is expected to go wrong out of the log while a class is tested; other classes may count what is logged. */
public final class WithoutLog implements BeforeAllCallback, AfterAllCallback {
    private final Map<Logger, @Nullable Level> former = new HashMap<>();

    @Override
    public void beforeAll(ExtensionContext test) {
        for (String noisy : List.of("io.rowlock", "com.zaxxer.hikari", "org.springframework.jdbc")) {
            Logger logger = (Logger) LoggerFactory.getLogger(noisy);
            former.put(logger, logger.getLevel());
            logger.setLevel(Level.OFF);
        }
    }

    @Override
    public void afterAll(ExtensionContext test) {
        former.forEach(Logger::setLevel);
    }
}
