package io.rowlock.store.jdbc.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.jdbc.session.DeepStack;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A stack that overflows while a row lock is taken, at one depth after the other. */
@OnEachServer
class ErrorsInRowLocksTests {
    private static final int STEPS = 120;
    private static final int SEARCHES = 5;

    @Test
    void poolLacksNoConnectionThatNoLeaseHas(TestSchema schema) throws InterruptedException {
        try (RowLockTable table = new RowLockTable(schema)) {
            HikariDataSource pool = table.pool(2, config -> {});
            RowLockStore store = table.store(pool, 2, true);
            AtomicInteger keys = new AtomicInteger();
            Runnable taking = () -> assertThat(takeAndRelease(store, "deep-" + keys.incrementAndGet()))
                    .isTrue();
            int overflows = 0;
            for (int search = 1;
                    search <= SEARCHES && overflows == 0;
                    search++) { // frames compiled meanwhile are smaller
                int deepest = DeepStack.deepestThatWorks(taking);
                for (int i = 0; i < STEPS; i++) {
                    if (DeepStack.run(deepest - STEPS / 3 + i, taking) instanceof StackOverflowError) {
                        overflows++;
                    }
                    assertThat(takeAndRelease(store, "usual-" + i))
                            .as("step " + i)
                            .isTrue();
                }
            }
            assertThat(overflows).isPositive();
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    private static boolean takeAndRelease(RowLockStore store, String key) {
        Attempt attempt = store.tryAcquire(RowLockTable.request(key, LockMode.EXCLUSIVE, RowLockTable.TTL));
        return store.release(((Attempt.Taken) attempt).lease());
    }
}
