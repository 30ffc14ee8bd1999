package io.rowlock.aspects;

import io.rowlock.annotation.DistributedLock;
import java.util.function.Supplier;

abstract class OrdersParent {
    @DistributedLock("inherited")
    protected String inherited(Supplier<String> body) {
        return body.get();
    }
}
