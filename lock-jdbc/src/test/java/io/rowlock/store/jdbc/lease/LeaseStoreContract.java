package io.rowlock.store.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.contract.LockStoreContract;
import io.rowlock.contract.UnprotectedCounter;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.core.JdbcTemplate;

/** The contract, for leases on a real server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LeaseStoreContract extends LockStoreContract {

    LeaseTable table;
    private LockStore[] nodes;
    private int created;

    @BeforeServer
    void open(TestSchema schema) {
        table = new LeaseTable(schema);
        nodes = new LockStore[] {node(), node()};
    }

    @AfterServer
    void close() {
        table.close();
    }

    private LockStore node() {
        return store(table.pool(config -> {}));
    }

    LockStore store(DataSource pool) {
        return LeaseTable.store(pool);
    }

    /** Opening a pool for each test would take longer than the test. */
    @Override
    protected boolean supportsPermits() {
        return true;
    }

    @Override
    protected LockStore createStore() {
        return nodes[created++ % nodes.length];
    }

    @Override
    protected void expire(Lease lease) {
        table.expire(lease);
    }

    /** A row that is read and written by sessions other than the lock's. */
    @Override
    protected UnprotectedCounter createCounter() {
        JdbcTemplate jdbc = new JdbcTemplate(table.pool(config -> {}));
        jdbc.execute("CREATE TABLE counter (value INT NOT NULL)");
        jdbc.update("INSERT INTO counter VALUES (0)");
        return new UnprotectedCounter() {
            @Override
            public int read() {
                return jdbc.queryForObject("SELECT value FROM counter", Integer.class);
            }

            @Override
            public void write(int value) {
                jdbc.update("UPDATE counter SET value = ?", value);
            }
        };
    }

    /** The renewal was sent before, and arrives after. */
    @Test
    void lateRenewalMakesNoLeaseLongerThatIsOnlyKeptForItsMinimum() {
        Lease kept = table.acquire(LeaseTable.freshKey());
        LeaseStore node = table.store();
        assertThat(node.release(kept, Duration.ofSeconds(5))).isTrue();
        node.renew(List.of(kept), LeaseTable.TTL);
        assertThat(node.inspection()
                        .orElseThrow()
                        .holder(kept.key(), LockMode.EXCLUSIVE)
                        .orElseThrow()
                        .remaining())
                .isLessThanOrEqualTo(Duration.ofSeconds(5));
    }
}
