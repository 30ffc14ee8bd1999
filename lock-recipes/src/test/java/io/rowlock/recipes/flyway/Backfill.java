package io.rowlock.recipes.flyway;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.OnBusy;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@Component
class Backfill {
    private final Rows rows;

    Backfill(Rows rows) {
        this.rows = rows;
    }

    @Async // with @EnableAsync: the node is ready meanwhile, and a failure does not stop it
    @EventListener(ApplicationReadyEvent.class)
    @DistributedLock(name = "backfill", waitTime = "0s", onBusy = OnBusy.SKIP)
    public void run() {
        int filled = 1;
        while (filled > 0) {
            filled = rows.fill();
        }
    }
}

@Component
class Rows {
    private final JdbcTemplate jdbc;

    Rows(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    public int fill() {
        return jdbc.update("UPDATE purchase SET total = price * amount WHERE total IS NULL LIMIT 1000");
    }
}
