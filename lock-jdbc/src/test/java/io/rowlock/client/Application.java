package io.rowlock.client;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TransactionConnection;
import io.rowlock.test.database.TestSchema;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The business side of a node: its transactions, guarded by the node's locks. */
final class Application implements AutoCloseable {
    final HikariDataSource pool;
    final JdbcTransactionManager transactions;
    final JdbcTemplate sql;

    Application(TestSchema schema, RowlockClient client, int poolSize) {
        this(Pools.application(schema, poolSize));
        LeaseStore leases = new LeaseStore(new LockDatabase(pool, 8, Node.QUERY_TIMEOUT), Node.PREFIX, null, null);
        transactions.addListener(Fences.of(
                client,
                Map.of(LeaseStore.NAME, leases.commitCheck(pool).orElseThrow()),
                () -> new TransactionConnection(pool, Node.QUERY_TIMEOUT).rowLocks()));
    }

    private Application(HikariDataSource pool) {
        this.pool = pool;
        sql = new JdbcTemplate(pool);
        transactions = new JdbcTransactionManager(pool);
    }

    /** As if its database were not that of the locks. */
    static Application withoutFence(TestSchema schema, RowlockClient client) {
        Application application = new Application(Pools.application(schema, 2));
        application.transactions.addListener(Fences.of(client, Map.of()));
        return application;
    }

    TransactionTemplate transaction() {
        return new TransactionTemplate(transactions);
    }

    TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = transaction();
        template.setPropagationBehavior(propagation);
        return template;
    }

    TransactionTemplate requiresNew() {
        return transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    /** Something to be stored or not. */
    void deposit() {
        sql.update("UPDATE account SET balance = balance + 1 WHERE id = 1");
    }

    void inTransaction(Runnable body) {
        transaction().executeWithoutResult(status -> body.run());
    }

    @Override
    public void close() {
        pool.close();
    }
}
