package io.rowlock.store.jdbc.rowlock;

import io.rowlock.contract.LockStoreContract;
import io.rowlock.contract.UnprotectedCounter;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.core.JdbcTemplate;

/** The contract, for row locks on a real server, with the barrier. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(18)
@OnEachServer(dependsOnServer = true)
class RowLockStoreTests extends LockStoreContract {
    private static final int CONNECTIONS = 40;

    private final List<RowLockStore> nodes = new ArrayList<>();
    private RowLockTable table;

    @BeforeServer
    void open(TestSchema schema) {
        table = new RowLockTable(schema);
    }

    @AfterEach
    void close() {
        table.closeOpened();
        nodes.clear();
    }

    /** A lease keeps a connection, so each test has pools of its own. */
    @Override
    protected LockStore createStore() {
        RowLockStore store = table.store(CONNECTIONS, true);
        nodes.add(store);
        return store;
    }

    @Override
    protected void expire(Lease lease) {
        table.kill(session(lease));
    }

    @Override
    protected boolean tellsExpired() {
        return false;
    }

    @Override
    protected boolean showsHolder() {
        return false;
    }

    @Override
    protected boolean drains() {
        return false;
    }

    @Override
    protected boolean downgrades() {
        return false;
    }

    @Override
    protected int mostLeases() {
        return CONNECTIONS;
    }

    @Override
    protected Duration remaining(Lease lease) {
        return table.idleLimit(session(lease));
    }

    private long session(Lease lease) {
        return nodes.stream()
                .flatMap(node -> node.held.find(lease).stream())
                .mapToLong(HeldRowLock::sessionId)
                .findFirst()
                .orElseThrow();
    }

    /** A row that is read and written by sessions other than the lock's. */
    @Override
    protected UnprotectedCounter createCounter() {
        JdbcTemplate jdbc = new JdbcTemplate(table.pool(8, config -> config.setAutoCommit(true)));
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
}
