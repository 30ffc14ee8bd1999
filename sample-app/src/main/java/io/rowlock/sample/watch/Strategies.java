package io.rowlock.sample.watch;

import io.rowlock.store.LockStore;
import java.util.List;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** The strategies by which a lock can be held here. */
@Component
@Profile("!node")
public class Strategies {
    /** The default one. */
    public static final String LEASE = "lease";

    /** The one that is there only where there is a Redis. */
    public static final String REDIS = "redis";

    private static final List<String> IN_ORDER = List.of(LEASE, "row-lock", "unique-key", REDIS);

    private final List<String> names;

    Strategies(List<LockStore> stores) {
        List<String> there = stores.stream().map(LockStore::strategy).toList();
        this.names = IN_ORDER.stream().filter(there::contains).toList();
    }

    /** Their names, in the order in which they are shown. */
    public List<String> names() {
        return names;
    }
}
