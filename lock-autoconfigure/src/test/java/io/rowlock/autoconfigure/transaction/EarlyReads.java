package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockClient;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.database.DatabaseServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application whose transactions read before they acquire a lock, which the locks "lenient" and "noisy" let pass. */
abstract class EarlyReads {
    static FreshSchema schema;
    static ConfigurableApplicationContext node;

    private static final AtomicInteger IDS = new AtomicInteger();

    /** Of the rows of this test. */
    final int id = IDS.incrementAndGet();

    final LockClient locks = node.getBean(LockClient.class);
    final TransactionTemplate transaction = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));

    @BeforeServer
    static void create(DatabaseServer server) {
        schema = FreshSchema.on(server);
    }

    static void start(TestApplication application) {
        node = application
                .with("rowlock.locks.lenient.stale-snapshot", "allow")
                .with("rowlock.locks.noisy.stale-snapshot", "warn")
                .start();
    }

    @AfterServer
    static void stop() {
        if (node != null) {
            node.close();
        }
        schema.close();
    }

    /** Runs it on that many threads at once. */
    static void inParallel(int threads, Runnable each) {
        CompletableFuture.allOf(IntStream.range(0, threads)
                        .mapToObj(thread -> CompletableFuture.runAsync(each, task -> new Thread(task).start()))
                        .toArray(CompletableFuture[]::new))
                .orTimeout(2, TimeUnit.MINUTES)
                .join();
    }

    static int amount(String table, int row) {
        return schema.jdbc().queryForObject("SELECT amount FROM %s WHERE id = ?".formatted(table), Integer.class, row);
    }

    static void assertAmount(String table, int row, int expected) {
        assertThat(amount(table, row)).isEqualTo(expected);
    }
}
