package io.rowlock.autoconfigure.client;

import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.autoconfigure.datasource.ServerClocks;
import io.rowlock.autoconfigure.diagnostics.DriverError;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.ServerReport;
import io.rowlock.store.jdbc.Writers;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Says in one line, when the application starts, what keeps its locks, and warns of what makes them weaker. If locks could
 * not be taken, the application does not start, unless it leaves the tables alone: then it may start before they are there.
 */
public final class StartUpCheck implements SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(StartUpCheck.class);

    /** People compare times of tables with times of logs. */
    private static final Duration NOTICEABLE = Duration.ofMinutes(1);

    private final LockAdmin locks;
    private final LockDatabase database;
    private final Settings settings;
    private final Map<String, ServerClocks.Server> servers;
    private final Supplier<Instant> clock;

    /**
     * The properties that are checked and reported.
     *
     * @param strategy the default strategy
     * @param fencing whether commits are fenced
     * @param startsWithoutTables whether the application starts even if locks cannot be taken yet
     * @param timeout how long the first connections may take if it does not
     */
    public record Settings(String strategy, boolean fencing, boolean startsWithoutTables, Duration timeout) {}

    /** @param servers those whose clocks are to be compared */
    public StartUpCheck(
            LockAdmin locks,
            LockDatabase database,
            Settings settings,
            Map<String, ServerClocks.Server> servers,
            Supplier<Instant> clock) {
        this.locks = locks;
        this.database = database;
        this.settings = settings;
        this.servers = servers;
        this.clock = clock;
    }

    @Override
    public void afterSingletonsInstantiated() {
        try {
            requireRights();
            report(ServerReport.of(database));
            requireFit(database.writers());
        } catch (LockStoreException ex) {
            if (!settings.startsWithoutTables()) {
                throw ex;
            }
            log.warn("No locks can be taken at the moment: {}", ex.getMessage());
        }
    }

    /** The tables were there a moment ago, so what is slow now is the first connection: it is tried again. */
    private void requireRights() {
        long end = System.nanoTime() + settings.timeout().toNanos();
        while (true) {
            try {
                locks.requireRights();
                return;
            } catch (LockStoreException ex) {
                boolean over = System.nanoTime() - end >= 0;
                if (over
                        || settings.startsWithoutTables()
                        || !DriverError.hasCause(ex, SQLTransientConnectionException.class)) {
                    throw ex;
                }
            }
        }
    }

    private void requireFit(Writers writers) {
        writers.refusalOf(settings.strategy()).ifPresent(why -> {
            throw new RowlockSetupException(
                    why + ".", "Set rowlock.strategy to lease, or rowlock.cluster.writers to one.", null);
        });
        if (writers == Writers.MANY && database.hidesRollbacks()) {
            throw new RowlockSetupException(
                    "The driver of the connections that locks use hides that another server has rolled a transaction back: two nodes could hold one lock.",
                    "Add emulateUnsupportedPstmts=false to the URL of the data source, or set rowlock.pool.shared to false.",
                    null);
        }
    }

    private void report(ServerReport server) {
        log.info(
                "Rowlock keeps locks by strategy {} in {}, {} with {}: isolation {}, time zone {} (all times are UTC), {}, fencing {}, owner {}",
                settings.strategy(),
                server.version(),
                server.cluster(),
                database.writers() == Writers.ONE ? "one writer" : "many writers",
                server.isolation(),
                server.timeZone(),
                server.durability(),
                settings.fencing() ? "on" : "off",
                Printable.of(locks.node().owner()));
        server.warnings().forEach(log::warn);
        ServerClocks.warning(servers).ifPresent(log::warn);
        Duration ahead = Duration.between(clock.get(), server.now());
        if (ahead.abs().compareTo(NOTICEABLE) > 0) {
            log.warn(
                    "The clocks of the database server and of this machine differ by {}: locks do not depend on it, but the times in the lock tables are the server's.",
                    Printable.of(ahead.abs()));
        }
    }
}
