package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.store.jdbc.lease.LeaseTable;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** A stack that overflows in the middle of a statement, at one depth after the other, and the next users of the connections. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
@OnEachServer
class ErrorsInStatementsTests {
    private static final int STEPS = 150;

    /** So many steps later more code is compiled, and the stack reaches deeper. */
    private static final int ROUND = 30;

    /** A step that cost the pool its connection would leave none to the next. */
    private static final int CONNECTIONS = 1;

    private LeaseTable table;
    private HikariDataSource pool;
    private LockDatabase database;

    @BeforeServer
    void open(TestSchema schema) {
        table = new LeaseTable(schema);
        pool = table.pool(config -> {
            config.setMaximumPoolSize(CONNECTIONS);
            config.setConnectionTimeout(5_000);
        });
        database = new LockDatabase(pool, CONNECTIONS, LeaseTable.QUERY_TIMEOUT);
    }

    @AfterServer
    void close() {
        table.close();
    }

    private String asked(String text) {
        return database.call(session -> session.query("SELECT ?", row -> row.getString(1), text))
                .get(0);
    }

    @Test
    void answerReachesNoOtherThreadAndNoConnectionIsMissing() throws InterruptedException {
        int overflows = 0;
        int deepest = 0;
        for (int i = 0; i < STEPS; i++) {
            deepest = i % ROUND == 0 ? DeepStack.deepestThatWorks(() -> asked("search")) : deepest;
            String former = "former " + i;
            if (DeepStack.run(deepest - ROUND / 3 + i % ROUND, () -> asked(former)) instanceof StackOverflowError) {
                overflows++;
            }
            String mine = "mine " + i;
            assertThat(asked(mine)).as("step " + i).isEqualTo(mine);
        }
        assertThat(overflows).isPositive();
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
}
