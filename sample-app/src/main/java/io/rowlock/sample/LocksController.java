package io.rowlock.sample;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /locks}: the locks that are held right now, on whatever node, read from Rowlock's view. */
@RestController
class LocksController {

    private static final String HELD = """
            SELECT lock_key AS `key`, mode, owner, fence AS token,
                   TIMESTAMPDIFF(MICROSECOND, acquired_at, UTC_TIMESTAMP(6)) / 1e6 AS seconds_held,
                   seconds_left
            FROM rowlock_locks_held
            ORDER BY lock_key, acquired_at
            """;

    private final JdbcClient database;

    LocksController(JdbcClient database) {
        this.database = database;
    }

    @GetMapping("/locks")
    List<CurrentLock> held() {
        return database.sql(HELD).query(CurrentLock.class).list();
    }
}
