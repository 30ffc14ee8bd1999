package io.rowlock.store.jdbc.fence;

import io.rowlock.store.SnapshotMarks;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.SameDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TransactionConnection;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Marks a moment in a row of this process, which is committed on a connection of the lock pool: a transaction that sees the mark began
 * to read after it. The row is removed with those of idle keys. Thread-safe.
 */
public final class MarkRow implements SnapshotMarks {
    private final TransactionConnection transaction;
    private final LockDatabase database;
    private final FenceSql sql;
    private final SameDatabase same;

    /** No lock key begins with it. */
    private final byte[] row = ("\0process:" + UUID.randomUUID()).getBytes(StandardCharsets.UTF_8);

    /**
     * @param dataSource the one the transaction manager works on
     * @param database where the lock tables are
     * @param prefix what the names of the tables begin with
     * @param same says whether a transaction is where the lock tables are
     */
    public MarkRow(DataSource dataSource, LockDatabase database, TablePrefix prefix, SameDatabase same) {
        this.transaction = new TransactionConnection(dataSource, database.queryTimeout());
        this.database = database;
        this.same = same;
        this.sql = new FenceSql(prefix);
    }

    @Override
    public long mark() {
        return transaction.repeatsReads()
                ? database.call(session -> session.updateReturning(sql.mark, (Object) row))
                        .orElseThrow()
                : NONE;
    }

    /** Of a transaction on another database nothing is known: no mark can be seen there. */
    @Override
    public boolean sees(long mark) {
        return same.ask(
                        transaction,
                        true,
                        () -> transaction.call(session ->
                                session.number(sql.seen, (Object) row).orElse(Long.MIN_VALUE) >= mark))
                .orElse(true);
    }
}
