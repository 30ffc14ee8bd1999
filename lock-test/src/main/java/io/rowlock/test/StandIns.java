package io.rowlock.test;

import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import io.rowlock.store.memory.InMemoryLockStore;
import io.rowlock.store.redis.RedisLockStore;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.util.ClassUtils;

/** The strategies that memory stands in for. */
final class StandIns {
    private StandIns() {}

    /** Returns what each of them takes; anything that memory does, if the module of the strategy is missing. */
    static Map<String, StoreCapabilities> limits() {
        String jdbc = "io.rowlock.store.jdbc.lease.LeaseStore";
        return Map.of(
                "lease", of(jdbc, () -> LeaseStore.CAPABILITIES),
                "row-lock", of(jdbc, () -> RowLockStore.CAPABILITIES),
                "unique-key", of(jdbc, () -> UniqueKeyStore.CAPABILITIES),
                "redis", of("io.rowlock.store.redis.RedisLockStore", () -> RedisLockStore.CAPABILITIES));
    }

    private static StoreCapabilities of(String type, Supplier<StoreCapabilities> limits) {
        return ClassUtils.isPresent(type, StandIns.class.getClassLoader())
                ? limits.get()
                : new InMemoryLockStore().capabilities();
    }
}
