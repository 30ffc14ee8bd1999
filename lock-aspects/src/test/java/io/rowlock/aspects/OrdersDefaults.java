package io.rowlock.aspects;

import io.rowlock.annotation.DistributedLock;
import java.util.function.Supplier;

interface OrdersDefaults {
    @DistributedLock("default")
    default String byDefault(Supplier<String> body) {
        return body.get();
    }
}
