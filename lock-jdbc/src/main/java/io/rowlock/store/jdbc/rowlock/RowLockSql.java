package io.rowlock.store.jdbc.rowlock;

import static io.rowlock.store.jdbc.session.JdbcText.CURRENT;

import io.rowlock.LockMode;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;

/**
 * The statements of strategy {@code row-lock}. Those that lock run in the transaction of a session that belongs to one
 * lease, under READ COMMITTED with autocommit off, and name their rows by primary key.
 *
 * <p>A writer locks for update, a reader in share mode, both the gate and, in passing or before a commit, the barrier.
 */
final class RowLockSql {
    static final int GATE = -2;
    static final int BARRIER = -1;

    /** SYSDATE, unlike UTC_TIMESTAMP, is read when the row has been locked. The session's time zone is UTC. */
    private static final String MICROS = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', SYSDATE(6))";

    /** The part of a UUID that a server draws when it starts, as a number. */
    private static final String START = "CONV(SUBSTR(UUID(), 20, 4), 16, 10)";

    /** There a session that has a lock and is silent, which is in a transaction, has other limits than {@code wait_timeout}, too. */
    private static final String UNLIMITED_ON_MARIADB =
            "max_statement_time = 0, idle_transaction_timeout = 0, idle_readonly_transaction_timeout = 0, idle_write_transaction_timeout = 0";

    /** Sets up a session once: how long it may wait for the gate, what its clock shows, and that the server's other limits do not end it. */
    final String prepare;

    /**
     * The number of the session, when the server has drawn it, as one that starts again gives the same numbers to others, and a number
     * that is positive if SYSDATE goes on while a statement runs: a server that was started with sysdate-is-now reads it at its beginning.
     */
    final String session = "SELECT CONNECTION_ID(), %s, SLEEP(0.001) + (SYSDATE(6) <> NOW(6))".formatted(START);

    /**
     * The number of the session. It answers as long as the session and with it the transaction lives. A server that no longer accepts
     * writes answers with another number: the one that accepts them instead does not know its row locks.
     */
    final String identity = "SELECT IF(" + JdbcText.READ_ONLY + ", 0, CONNECTION_ID())";

    /** Sets after how much silence the server ends the session, and with it the lock. */
    final String setIdleLimit = "SET SESSION wait_timeout = ?";

    private final String table;

    /**
     * True if the barrier is to be passed by another session. MariaDB puts even a request that must not wait into the queue for a moment;
     * one that is granted just then counts as waited for, and the row stays locked.
     */
    final boolean passesApart;

    private final boolean mariaDb;
    private final OfMode exclusive;
    private final OfMode shared;

    /**
     * The statements of writers, or of readers.
     *
     * @param acquire locks the gate, or finds it locked by its own session, and answers with the token. On MySQL it passes the barrier
     *     too, if fenced: the barrier's row is locked, does not match and is unlocked again. That takes a range of two rows, read upwards:
     *     a row looked up alone, and one that was waited for, would stay locked, and the lock would be in its holder's own way. So it
     *     never waits. After it has failed it may have the gate nevertheless, so what follows is a rollback or a retry
     * @param pass locks the barrier and, in autocommit mode, lets go of it again. To be sent while the gate is locked
     * @param queue waits in the server's queue until the gate is free, and locks it
     */
    record OfMode(String acquire, String pass, String queue) {}

    /**
     * @param fenced whether a lock is to pass the barrier; all users of a key have to agree
     * @param mariaDb whether the server is one: it spells a shared lock without waiting differently, and cannot be trusted
     *     not to wait
     */
    RowLockSql(TablePrefix prefix, boolean fenced, boolean mariaDb) {
        this.table = prefix.of(Table.ROW);
        this.passesApart = fenced && mariaDb;
        this.mariaDb = mariaDb;
        prepare =
                "SET SESSION time_zone = '+00:00', innodb_lock_wait_timeout = %s, sql_select_limit = 18446744073709551615, completion_type = 0, %s"
                        .formatted(
                                RowLockConnection.LONGEST_WAIT,
                                mariaDb ? UNLIMITED_ON_MARIADB : "max_execution_time = 0");
        exclusive = statements(LockMode.EXCLUSIVE, fenced && !mariaDb);
        shared = statements(LockMode.SHARED, fenced && !mariaDb);
    }

    private OfMode statements(LockMode mode, boolean passesAtOnce) {
        String rows =
                passesAtOnce ? "slot IN (%s, %s) AND gate = 1".formatted(GATE, BARRIER) : "slot = %s".formatted(GATE);
        String gate =
                "SELECT %s FROM %s FORCE INDEX (PRIMARY) WHERE lock_key = ? AND %s".formatted(MICROS, table, rows);
        return new OfMode(
                atOnce(gate, mode, mariaDb),
                atOnce(selectSlot(table, BARRIER), mode, mariaDb),
                waiting(selectSlot(table, GATE), mode));
    }

    OfMode of(LockMode mode) {
        return mode == LockMode.EXCLUSIVE ? exclusive : shared;
    }

    private static String selectSlot(String table, int slot) {
        return "SELECT slot FROM %s WHERE lock_key = ? AND slot = %s".formatted(table, slot);
    }

    /**
     * Lets a query lock its rows, or fail at once. MariaDB's {@code NOWAIT} does not wait for the table either: a key would then be busy
     * while a session has all tables locked, as backups do.
     */
    static String atOnce(String query, LockMode mode, boolean mariaDb) {
        if (mariaDb) {
            return "SET STATEMENT innodb_lock_wait_timeout = 0 FOR " + waiting(query, mode);
        }
        return query + (mode == LockMode.EXCLUSIVE ? " FOR UPDATE NOWAIT" : " FOR SHARE NOWAIT");
    }

    /** Ends a session, unless the server was started since the session began: then its number is that of another one, or of none. */
    static String end(long session, long start) {
        return "KILL IF(%s = %s, %s, 0)".formatted(START, start, session);
    }

    /**
     * Locks the barrier on the business transaction's connection, to its end. A session that locks the gate meanwhile does not
     * get past it: behind a writer none, behind a reader no writer.
     */
    static String bar(TablePrefix prefix, LockMode mode) {
        return CURRENT + waiting(selectSlot(prefix.of(Table.ROW), BARRIER), mode);
    }

    static String waiting(String query, LockMode mode) {
        return query + (mode == LockMode.EXCLUSIVE ? " FOR UPDATE" : " LOCK IN SHARE MODE");
    }
}
