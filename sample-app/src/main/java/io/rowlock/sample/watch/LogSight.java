package io.rowlock.sample.watch;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** The latest grants. */
@Component
@Profile("!node")
class LogSight implements Sight {
    private final LockTables tables;

    LogSight(LockTables tables) {
        this.tables = tables;
    }

    @Override
    public String topic() {
        return "log";
    }

    @Override
    public Object look() {
        return tables.log();
    }
}
