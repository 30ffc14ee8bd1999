package io.rowlock.autoconfigure.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Two nodes read a number, add one and write it back, many times: the lock is all that keeps updates from being lost. */
@OnEachServer
class TwoNodesTests {
    private static final int THREADS = 4;
    private static final int TIMES = 10;
    private static FreshSchema schema;
    private static List<ConfigurableApplicationContext> nodes;

    @BeforeServer
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE counter (n INT)");
        schema.jdbc().execute("INSERT INTO counter VALUES (0)");
        nodes = List.of(node(), node());
    }

    @AfterServer
    static void stop() {
        if (nodes != null) {
            nodes.forEach(ConfigurableApplicationContext::close);
            schema.close();
        }
    }

    @BeforeEach
    void reset() {
        schema.jdbc().update("UPDATE counter SET n = 0");
    }

    @Test
    void annotationLosesNoUpdate() throws Exception {
        onBothNodes(THREADS, TIMES, Counter::increment);
        assertThat(count()).isEqualTo(2 * THREADS * TIMES);
    }

    @Test
    void clientLosesNoUpdate() throws Exception {
        onBothNodes(THREADS, TIMES, Counter::incrementWithClient);
        assertThat(count()).isEqualTo(2 * THREADS * TIMES);
    }

    @Test
    void withoutALockUpdatesAreLost() throws Exception {
        CyclicBarrier bothHaveRead = new CyclicBarrier(2);
        onBothNodes(1, 1, counter -> counter.incrementUnlocked(bothHaveRead));
        assertThat(count()).isOne();
    }

    private static void onBothNodes(int threads, int times, Consumer<Counter> work) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(2 * threads);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (ConfigurableApplicationContext node : nodes) {
                Counter counter = node.getBean(Counter.class);
                for (int thread = 0; thread < threads; thread++) {
                    done.add(executor.submit(() -> {
                        for (int time = 0; time < times; time++) {
                            work.accept(counter);
                        }
                    }));
                }
            }
            for (Future<?> one : done) {
                one.get(60, TimeUnit.SECONDS);
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private static int count() {
        return schema.jdbc().queryForObject("SELECT n FROM counter", Integer.class);
    }

    private static ConfigurableApplicationContext node() {
        return new TestApplication(schema, Counter.class)
                .with("rowlock.wait-time", "30s")
                .start();
    }

    static class Counter {
        private final JdbcTemplate jdbc;
        private final LockClient locks;

        Counter(JdbcTemplate jdbc, LockClient locks) {
            this.jdbc = jdbc;
            this.locks = locks;
        }

        @DistributedLock("counter")
        @Transactional
        public void increment() {
            write(read() + 1);
        }

        public void incrementWithClient() {
            locks.execute(
                    LockRequest.exclusive("counter").withWaitTime(Duration.ofSeconds(30)), () -> write(read() + 1));
        }

        public void incrementUnlocked(CyclicBarrier bothHaveRead) {
            int read = read();
            try {
                bothHaveRead.await(30, TimeUnit.SECONDS);
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
            write(read + 1);
        }

        private int read() {
            return jdbc.queryForObject("SELECT n FROM counter", Integer.class);
        }

        private void write(int n) {
            jdbc.update("UPDATE counter SET n = ?", n);
        }
    }
}
