package io.rowlock.store.jdbc.cleanup;

import io.rowlock.LockStoreException;
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

/** The clean-up with nothing of its grace, so that it works on rows others have just left, and its steps one by one. */
public final class ImpatientCleanUp {
    private static final Logger log = LoggerFactory.getLogger(ImpatientCleanUp.class);

    private ImpatientCleanUp() {}

    public static Maintenance of(LockDatabase database, TablePrefix prefix, Duration keepIdle) {
        Duration grace = Duration.ofMillis(20);
        LogCleanUp entries = new LogCleanUp(database, prefix, grace, Duration.ofSeconds(2));
        Map<String, IntSupplier> steps = new LinkedHashMap<>();
        steps.put("dead readers and idle keys", new IdleGateCleanUp(database, prefix, keepIdle, grace)::remove);
        steps.put("unique keys of dead holders", OldKeyCleanUp.ofUniqueKeys(database, prefix, grace)::remove);
        steps.put("old keys of row locks", ofRows(database, prefix));
        steps.put("idle fences", OldKeyCleanUp.ofFences(database, prefix, keepIdle)::remove);
        steps.put("log rows of leases that ran out", entries::markExpired);
        steps.put("old log rows", entries::removeOld);
        return () -> steps.entrySet().stream()
                .flatMap(step -> done(step.getKey(), step.getValue()).stream())
                .collect(Collectors.joining(", "));
    }

    /** Does one step; an error in it keeps no other from being done, as in a {@link TableCleanUp}. */
    private static Optional<String> done(String what, IntSupplier step) {
        try {
            int rows = step.getAsInt();
            return rows == 0 ? Optional.empty() : Optional.of(what + ": " + rows);
        } catch (LockStoreException e) {
            log.warn("The clean-up of {} failed", what, e);
            return Optional.empty();
        }
    }

    /** Removes rows of row locks however young they are, so that it works on those that are in use. */
    public static IntSupplier ofRows(LockDatabase database, TablePrefix prefix) {
        return new OldRowCleanUp(database, prefix, -1)::remove;
    }

    public static IntSupplier ofRows(LockDatabase database, TablePrefix prefix, Duration keep) {
        return new OldRowCleanUp(database, prefix, OldRowCleanUp.days(keep))::remove;
    }

    public static IntSupplier ofTokens(LockDatabase database, TablePrefix prefix, Duration keep) {
        return OldKeyCleanUp.ofFences(database, prefix, keep)::remove;
    }
}
