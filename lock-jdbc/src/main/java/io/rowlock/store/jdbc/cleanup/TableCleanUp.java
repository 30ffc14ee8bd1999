package io.rowlock.store.jdbc.cleanup;

import io.rowlock.store.DaemonThreads;
import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.log.LogCleanUp;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cleans the lock tables and the lock log. */
public final class TableCleanUp implements Maintenance {
    private static final Logger logger = LoggerFactory.getLogger(TableCleanUp.class);

    /** A lease that expired that long ago is dead, not late; and the log of a lease that ended may still be on its way. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    /** At full speed, a batch of gates after the other, the load beside the clean-up fell to half; so it falls by a sixth. */
    private static final int REST = 3;

    private final Map<String, IntSupplier> steps = new LinkedHashMap<>();

    /**
     * @param database where the tables are
     * @param prefix what their names begin with
     * @param keepIdle how long the row of an unused key is kept; of one that is locked and not written, whole days since it
     *     was created, from one to a hundred; of a fence, a day at least
     * @param retention how long the log is kept
     */
    public TableCleanUp(LockDatabase database, TablePrefix prefix, Duration keepIdle, Duration retention) {
        this(database, prefix, keepIdle, OldRowCleanUp.days(keepIdle), GRACE, retention, REST);
    }

    /**
     * @param keepDays how many days the row of a key is kept that is locked and not written
     * @param rest how many times as long as a batch of gates took the next one is to wait
     */
    TableCleanUp(
            LockDatabase database,
            TablePrefix prefix,
            Duration keepIdle,
            int keepDays,
            Duration grace,
            Duration retention,
            int rest) {
        LogCleanUp log = new LogCleanUp(database, prefix, grace, retention);
        steps.put("dead readers and idle keys", new IdleGateCleanUp(database, prefix, keepIdle, grace, rest)::remove);
        steps.put("unique keys of dead holders", OldKeyCleanUp.ofUniqueKeys(database, prefix, grace)::remove);
        steps.put("old keys of row locks", new OldRowCleanUp(database, prefix, keepDays)::remove);
        steps.put("idle fences", OldKeyCleanUp.ofFences(database, prefix, keepIdle)::remove);
        steps.put("log rows of expired leases", log::markExpired);
        steps.put("old log rows", log::removeOld);
    }

    @Override
    public String cleanUp() {
        return steps.entrySet().stream()
                .flatMap(step -> done(step.getKey(), step.getValue()).stream())
                .collect(Collectors.joining(", "));
    }

    /** Does one step; an error in it keeps no other from being done. */
    private Optional<String> done(String what, IntSupplier step) {
        try {
            int rows = step.getAsInt();
            return rows == 0 ? Optional.empty() : Optional.of(what + ": " + rows);
        } catch (RuntimeException | Error e) {
            DaemonThreads.warn(logger, "The clean-up of {} failed and is tried again in the next round", what, e);
            return Optional.empty();
        }
    }
}
