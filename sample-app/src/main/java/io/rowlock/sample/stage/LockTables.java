package io.rowlock.sample.stage;

import java.math.BigDecimal;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /locks} and {@code /log}: the locks that are held now, and those that were. */
@RestController
class LockTables {

    private static final String HELD = """
            SELECT lock_key AS `key`, mode, strategy, owner, fence AS token,
                   GREATEST(0, TIMESTAMPDIFF(MICROSECOND, acquired_at, UTC_TIMESTAMP(6))) / 1e6 AS seconds_held,
                   seconds_left
            FROM rowlock_locks_held
            ORDER BY lock_key LIKE 'partition:%' OR lock_key LIKE 'node:%', lock_key, acquired_at
            LIMIT 100
            """;

    private static final String LOG = """
            SELECT id, lock_key AS `key`, mode, owner, fence AS token, status, waited_micros,
                   TIMESTAMPDIFF(MICROSECOND, acquired_at, COALESCE(released_at, UTC_TIMESTAMP(6))) AS held_micros,
                   released_at IS NULL AS open
            FROM rowlock_lock_log
            WHERE lock_key NOT LIKE 'race:%'
            ORDER BY id DESC
            LIMIT 12
            """;

    private final JdbcClient database;

    LockTables(JdbcClient database) {
        this.database = database;
    }

    /** Returns the locks that are held right now, on whatever node. */
    @GetMapping("/locks")
    List<Held> held() {
        return database.sql(HELD).query(Held.class).list();
    }

    /** Returns the latest grants, the last one first. */
    @GetMapping("/log")
    List<Grant> log() {
        return database.sql(LOG).query(Grant.class).list();
    }

    /**
     * A lock that is held right now.
     *
     * @param key the lock key
     * @param mode {@code EXCLUSIVE}, {@code SHARED} or {@code PERMIT}
     * @param strategy its strategy
     * @param owner the node that holds it
     * @param token the fencing token
     * @param secondsHeld the time since it was granted
     * @param secondsLeft the time until it expires if its node dies now
     */
    record Held(
            String key,
            String mode,
            String strategy,
            String owner,
            long token,
            BigDecimal secondsHeld,
            BigDecimal secondsLeft) {}

    /**
     * A row of the log.
     *
     * @param id its number
     * @param key the lock key
     * @param mode {@code EXCLUSIVE}, {@code SHARED} or {@code PERMIT}
     * @param owner the node that was granted it
     * @param token the fencing token
     * @param status its fate
     * @param waitedMicros the time that its holder waited
     * @param heldMicros the time that it was held, or is by now
     * @param open true until its end is noted
     */
    record Grant(
            long id,
            String key,
            String mode,
            String owner,
            long token,
            String status,
            long waitedMicros,
            long heldMicros,
            boolean open) {}
}
