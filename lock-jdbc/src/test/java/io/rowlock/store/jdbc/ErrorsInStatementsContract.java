package io.rowlock.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.store.jdbc.lease.LeaseTable;
import io.rowlock.test.TestSchema;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A stack that overflows in the middle of a statement, at one depth after the other, and the next user of the one connection. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ErrorsInStatementsContract {
    private static final int DEEPEST = 200_000;
    private static final int STEPS = 150;
    private static final int STACK = 512 * 1024;

    private LeaseTable table;
    private HikariDataSource pool;
    private LockDatabase database;

    @BeforeAll
    void open(TestSchema schema) {
        table = new LeaseTable(schema);
        pool = table.pool(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionTimeout(2_000);
        });
        database = new LockDatabase(pool, 1, LeaseTable.QUERY_TIMEOUT, false);
    }

    @AfterAll
    void close() {
        table.close();
    }

    private String asked(String text) {
        return database.call(session -> session.query("SELECT ?", row -> row.getString(1), text))
                .get(0);
    }

    private int asked(int depth, String text) {
        return depth == 0 ? asked(text).length() : asked(depth - 1, text) + 1;
    }

    private @Nullable Throwable atDepth(int depth, String text) throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Runnable deep = () -> {
            try {
                int unused = asked(depth, text);
            } catch (StackOverflowError | RuntimeException e) {
                thrown.set(e);
            }
        };
        Thread thread = new Thread(null, deep, "deep", STACK);
        thread.start();
        thread.join();
        return thrown.get();
    }

    @Test
    void answerReachesNobodyElse() throws InterruptedException {
        for (int i = 0; i < 300; i++) {
            assertThat(asked(300, "warm")).isPositive(); // compiled frames are smaller
        }
        int overflows = 0;
        int deepest = deepestThatWorks();
        for (int i = 0; i < STEPS; i++) {
            if (atDepth(deepest - STEPS / 3 + i, "former " + i) instanceof StackOverflowError) {
                overflows++;
            }
            String mine = "mine " + i;
            assertThat(asked(mine)).as("step " + i).isEqualTo(mine);
        }
        assertThat(overflows).isPositive();
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    private int deepestThatWorks() throws InterruptedException {
        int works = 0;
        int fails = DEEPEST;
        while (fails - works > 1) {
            int middle = (works + fails) / 2;
            if (atDepth(middle, "search") == null) {
                works = middle;
            } else {
                fails = middle;
            }
        }
        return works;
    }
}
