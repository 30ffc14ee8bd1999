package io.rowlock.autoconfigure.redis;

import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.store.redis.RedisReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Makes sure, when the application starts, that locks can be kept in Redis, and says what makes them weaker there. */
public final class RedisStartUpCheck implements SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(RedisStartUpCheck.class);

    private final RedisLockStore store;
    private final boolean transactions;

    /** @param transactions whether the application has transactions, which this strategy does not protect */
    public RedisStartUpCheck(RedisLockStore store, boolean transactions) {
        this.store = store;
        this.transactions = transactions;
    }

    @Override
    public void afterSingletonsInstantiated() {
        store.inspection().orElseThrow().requireRights();
        RedisReport report = store.report();
        log.info("Rowlock can keep locks by strategy redis in {}", report.description());
        report.warnings().forEach(log::warn);
        if (transactions) {
            log.info(
                    "A commit under a lock of strategy redis is refused only if this process knows that the lock is lost; "
                            + "what must not be overtaken stores fencingToken() with the data and compares it.");
        }
    }
}
