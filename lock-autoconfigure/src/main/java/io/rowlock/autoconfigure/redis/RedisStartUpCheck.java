package io.rowlock.autoconfigure.redis;

import io.rowlock.Printable;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.store.redis.RedisReport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Makes sure, when the application starts, that locks can be kept in Redis, and says what makes them weaker there.
 *
 * @param unfencedBecause why the database refuses no commit, or null if it does
 */
record RedisStartUpCheck(RedisLockStore store, @Nullable String unfencedBecause) implements SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(RedisStartUpCheck.class);

    @Override
    public void afterSingletonsInstantiated() {
        store.inspection().orElseThrow().requireRights();
        RedisReport report = store.report();
        log.info("Rowlock can keep locks by strategy redis in {}", Printable.of(report.description()));
        report.warnings().stream().map(Printable::of).forEach(log::warn);
        if (unfencedBecause != null) {
            log.info(
                    "What a holder of strategy redis writes after it lost its lock is not protected, unless this process knows of the loss, and what its transaction read before it acquired the lock is not found, because {}: "
                            + "store fencingToken() with the data and compare it, and read under the lock.",
                    unfencedBecause);
        }
    }
}
