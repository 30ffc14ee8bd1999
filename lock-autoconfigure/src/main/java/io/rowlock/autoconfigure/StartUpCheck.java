package io.rowlock.autoconfigure;

import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.LockOversight;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.ServerReport;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Says in one line, when the application starts, what keeps its locks, and warns of what makes them weaker. If locks could
 * not be taken, the application does not start, unless it leaves the tables alone: then it may start before they are there.
 */
final class StartUpCheck implements SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(StartUpCheck.class);

    /** People compare times of tables with times of logs. */
    private static final Duration NOTICEABLE = Duration.ofMinutes(1);

    private final LockOversight locks;
    private final LockDatabase database;
    private final RowlockProperties properties;
    private final Supplier<Instant> clock;

    StartUpCheck(LockOversight locks, LockDatabase database, RowlockProperties properties, Supplier<Instant> clock) {
        this.locks = locks;
        this.database = database;
        this.properties = properties;
        this.clock = clock;
    }

    @Override
    public void afterSingletonsInstantiated() {
        try {
            locks.requireRights();
            report(ServerReport.of(database));
        } catch (LockStoreException ex) {
            if (properties.schema().initialize() != RowlockProperties.Schema.Initialize.NEVER) {
                throw ex;
            }
            log.warn("No locks can be taken at the moment: {}", ex.getMessage());
        }
    }

    private void report(ServerReport server) {
        log.info(
                "Rowlock keeps locks by strategy {} in {}: isolation {}, time zone {} (all times are UTC), {}, fencing {}, owner {}",
                properties.strategy(),
                server.version(),
                server.isolation(),
                server.timeZone(),
                server.durability(),
                properties.fencing().transactional() ? "on" : "off",
                Printable.of(locks.node().owner()));
        server.warnings().forEach(log::warn);
        Duration ahead = Duration.between(clock.get(), server.now());
        if (ahead.abs().compareTo(NOTICEABLE) > 0) {
            log.warn(
                    "The clocks of the database server and of this machine differ by {}: locks do not depend on it, but the times in the lock tables are the server's.",
                    ahead.abs());
        }
    }
}
