package io.rowlock.sample.stage;

import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /locks} and {@code /log}: the locks that are held now, and those that were. */
@RestController
class LockTables {

    private static final String HELD = """
            SELECT lock_key AS `key`, mode, strategy, owner, fence AS token,
                   GREATEST(0, TIMESTAMPDIFF(MICROSECOND, acquired_at, UTC_TIMESTAMP(6))) / 1e6 AS secondsHeld,
                   seconds_left AS secondsLeft
            FROM rowlock_locks_held
            ORDER BY lock_key LIKE 'partition:%' OR lock_key LIKE 'node:%', lock_key, acquired_at
            LIMIT 100
            """;

    private static final String LOG = """
            SELECT id, lock_key AS `key`, mode, owner, fence AS token, status, waited_micros AS waitedMicros,
                   TIMESTAMPDIFF(MICROSECOND, acquired_at, COALESCE(released_at, UTC_TIMESTAMP(6))) AS heldMicros,
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
    List<Map<String, Object>> held() {
        return database.sql(HELD).query().listOfRows();
    }

    /** Returns the latest grants, the last one first. */
    @GetMapping("/log")
    List<Map<String, Object>> log() {
        return database.sql(LOG).query().listOfRows();
    }
}
