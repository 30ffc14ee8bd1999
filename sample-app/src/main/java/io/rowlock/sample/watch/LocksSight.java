package io.rowlock.sample.watch;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** The locks that are held. */
@Component
@Profile("!node")
class LocksSight implements Sight {
    private final LockTables tables;

    LocksSight(LockTables tables) {
        this.tables = tables;
    }

    @Override
    public String topic() {
        return "locks";
    }

    @Override
    public Object look() {
        return tables.held();
    }
}
