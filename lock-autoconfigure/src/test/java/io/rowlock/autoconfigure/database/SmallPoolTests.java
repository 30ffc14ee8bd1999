package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application whose own pool is exhausted still gets its locks, and pays two statements for each. */
@OnEachServer
class SmallPoolTests {
    private static final int POOL = 4;
    private static final int THREADS = 16;

    private static FreshSchema schema;

    @BeforeServer
    static void create(DatabaseServer server) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE done (id INT)");
    }

    @AfterServer
    static void drop() {
        schema.close();
    }

    private final ExecutorService executor = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    @Test
    void transactionsThatHoldEveryConnectionStillGetTheirLocks() throws Exception {
        try (var node = application("own").start()) {
            CyclicBarrier everyConnectionIsTaken = new CyclicBarrier(POOL);
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                done.add(executor.submit(() -> lockInOpenTransaction(node, everyConnectionIsTaken)));
            }
            for (Future<?> one : done) {
                one.get(60, TimeUnit.SECONDS);
            }
            assertThat(schema.jdbc().queryForObject("SELECT COUNT(*) FROM done", Integer.class))
                    .isEqualTo(THREADS);
        }
    }

    @Test
    void uncontendedPairIsTwoStatements() throws Exception {
        try (var node = application("counted")
                .with("rowlock.pool.size", "1")
                .with("rowlock.log.mode", "off")
                .with("rowlock.cleanup.interval", "1h")
                .start()) {
            Work work = node.getBean(Work.class);
            work.run();
            long before = questions(node);
            int pairs = 5;
            for (int pair = 0; pair < pairs; pair++) {
                work.run();
            }
            int ofTheQuestionItself = 1;
            assertThat(questions(node) - before - ofTheQuestionItself).isEqualTo(2L * pairs);
        }
    }

    private static TestApplication application(String keys) {
        return new TestApplication(schema, Work.class)
                .with("spring.datasource.hikari.maximum-pool-size", POOL)
                .with("rowlock.key-prefix", keys + ":")
                .with("rowlock.wait-time", "30s");
    }

    private static void lockInOpenTransaction(ConfigurableApplicationContext node, CyclicBarrier barrier) {
        new TransactionTemplate(node.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            JdbcTemplate jdbc = node.getBean(JdbcTemplate.class);
            jdbc.execute("DO 0");
            try {
                barrier.await(30, TimeUnit.SECONDS);
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
            node.getBean(Work.class).run();
            jdbc.update("INSERT INTO done VALUES (1)");
        });
    }

    /** How many statements the only session of the lock pool has been sent. */
    private static long questions(ConfigurableApplicationContext node) throws SQLException {
        try (Connection connection = node.getBean(LockPools.class).locks().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Questions'")) {
            row.next();
            return row.getLong(2);
        }
    }

    static class Work {
        @DistributedLock("work")
        public void run() {}
    }
}
