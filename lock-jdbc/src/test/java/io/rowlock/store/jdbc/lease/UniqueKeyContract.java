package io.rowlock.store.jdbc.lease;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.database.TestSchema;
import org.junit.jupiter.api.TestInstance;

/** What the contracts of unique keys have in common: a schema, a store, and a look past it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class UniqueKeyContract {

    TestSchema schema;
    public LeaseTable server;
    public UniqueKeyTable table;
    public UniqueKeyStore store;

    @BeforeServer
    void open(TestSchema own) {
        schema = own;
        server = new LeaseTable(own);
        table = new UniqueKeyTable(server);
        store = UniqueKeyTable.store(server.pool(config -> {}));
    }

    @AfterServer
    void close() {
        server.close();
    }

    /** A pool of one session that waits long for row locks. */
    HikariDataSource patientPool() {
        return server.pool(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 20");
        });
    }
}
