package io.rowlock.aspects;

import io.rowlock.annotation.DistributedLock;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Counts how often the key of its lock was worked out, which is how often it is asked for. */
class Later {
    private final AtomicInteger keys = new AtomicInteger();

    @DistributedLock(name = "later", key = "#root.target.keys().incrementAndGet()")
    public String run(Supplier<String> body) {
        return body.get();
    }

    public String callsItself(Supplier<String> body) {
        return run(body);
    }

    public AtomicInteger keys() {
        return keys;
    }
}
