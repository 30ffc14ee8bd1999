package io.rowlock.store.jdbc.cleanup;

import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.log.LogCleanUp;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cleans the lock tables and the lock log. */
public final class TableCleanUp implements Maintenance {
    private static final Logger logger = LoggerFactory.getLogger(TableCleanUp.class);

    /** A lease that expired that long ago is dead, not late; and the log of a lease that ended may still be on its way. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final IdleGateCleanUp gates;
    private final OldKeyCleanUp uniqueKeys;
    private final OldRowCleanUp rows;
    private final OldKeyCleanUp fences;
    private final LogCleanUp log;
    private final AtomicLong failures = new AtomicLong();

    /**
     * @param database where the tables are
     * @param prefix what their names begin with
     * @param keepIdle how long the row of an unused key is kept; of one that is locked and not written, whole days since it
     *     was created, from one to a hundred; of a fence, a day at least
     * @param retention how long the log is kept
     */
    public TableCleanUp(LockDatabase database, TablePrefix prefix, Duration keepIdle, Duration retention) {
        this(
                database,
                prefix,
                keepIdle,
                GRACE,
                new OldRowCleanUp(database, prefix, keepIdle),
                new LogCleanUp(database, prefix, GRACE, retention));
    }

    TableCleanUp(
            LockDatabase database,
            TablePrefix prefix,
            Duration keepIdle,
            Duration grace,
            OldRowCleanUp rows,
            LogCleanUp log) {
        this.gates = new IdleGateCleanUp(database, prefix, keepIdle, grace);
        this.uniqueKeys = OldKeyCleanUp.ofUniqueKeys(database, prefix, grace);
        this.rows = rows;
        this.fences = OldKeyCleanUp.ofFences(database, prefix, keepIdle);
        this.log = log;
    }

    /**
     * {@inheritDoc} Dead readers, idle gates, unique keys of dead holders, old rows of row locks, idle fences, log rows of leases that ran out, and log
     * rows past their retention.
     */
    @Override
    public String cleanUp() {
        int unused = each("the lock table", gates::remove); // it counts by itself, as far as it came
        int dead = each("the table of unique keys", uniqueKeys::remove);
        int old = each("the table of row locks", rows::remove);
        int idle = each("the table of tokens", fences::remove);
        int expired = each("the open rows of the lock log", log::markExpired);
        int past = each("the old rows of the lock log", log::removeOld);
        return gates.readers() + gates.gates() + dead + old + idle + expired + past == 0
                ? ""
                : "%d dead readers and %d idle keys removed, %d log rows marked expired, %d old ones removed, %d unique keys of dead holders removed, %d old keys of row locks removed, %d idle fences removed"
                        .formatted(gates.readers(), gates.gates(), expired, past, dead, old, idle);
    }

    /** Cleans one table; an error in it keeps no other from being cleaned. @return how many rows were */
    private int each(String table, IntSupplier step) {
        try {
            return step.getAsInt();
        } catch (RuntimeException | Error e) {
            failures.incrementAndGet();
            logger.warn("The clean-up of {} failed and is tried again in the next round", table, e);
            return 0;
        }
    }

    @Override
    public long failures() {
        return failures.get();
    }
}
