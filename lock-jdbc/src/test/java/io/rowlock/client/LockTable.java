package io.rowlock.client;

import io.rowlock.test.ServerSession;
import io.rowlock.test.database.TestSchema;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** The tables as an operator sees them. */
public final class LockTable implements LockData {
    public final JdbcTemplate sql;

    LockTable(TestSchema schema) {
        sql = new JdbcTemplate(schema.dataSource());
        sql.execute("CREATE TABLE IF NOT EXISTS account (id INT PRIMARY KEY, balance INT NOT NULL)");
        sql.update("DELETE FROM rowlock_lock WHERE lock_key <> ''");
        sql.update("DELETE FROM rowlock_lock_log");
        sql.update("REPLACE INTO account VALUES (1, 0)");
    }

    public static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public int live(String key) {
        Integer rows = sql.queryForObject(
                "SELECT COUNT(*) FROM rowlock_lock WHERE lock_key = ? AND expires_at > UTC_TIMESTAMP(6)",
                Integer.class,
                (Object) bytes(key));
        return rows == null ? 0 : rows;
    }

    /** The fence of the gate's last lease. */
    @Override
    public long fence(String key) {
        Long fence = sql.queryForObject(
                "SELECT fence FROM rowlock_lock WHERE lock_key = ? AND slot = 0", Long.class, (Object) bytes(key));
        return fence == null ? 0 : fence;
    }

    /** All sessions of this schema. */
    private List<ServerSession> sessions() {
        return ServerSession.of(sql, sql.queryForObject("SELECT DATABASE()", String.class));
    }

    /** The other sessions of this schema that run a statement with these words. */
    List<Long> sessionsThatRun(String part) {
        return sessions().stream()
                .filter(session -> session.runs(part))
                .map(ServerSession::id)
                .toList();
    }

    /** Whether a session of this schema waits for a row lock; {@code innodb_trx} shows only now and then what is so. */
    boolean isRowWaitedFor() {
        List<Long> sessions = sessions().stream().map(ServerSession::id).toList();
        String status = sql.queryForObject("SHOW ENGINE INNODB STATUS", (row, number) -> row.getString("Status"));
        return Arrays.stream(status.split("---TRANSACTION"))
                .filter(transaction -> transaction.contains("\nLOCK WAIT "))
                .anyMatch(transaction ->
                        sessions.stream().anyMatch(id -> transaction.contains(" thread id " + id + ",")));
    }

    /** Whether a process stands in front of the line for the key. */
    @Override
    public boolean isWaitedFor(String key) {
        return sessionInFrontOfTheLine(key) != null;
    }

    @Nullable
    Long sessionInFrontOfTheLine(String key) {
        return sql.queryForObject(
                "SELECT IS_USED_LOCK(CONCAT('rowlock:', LEFT(SHA2(CONCAT(DATABASE(), '/rowlock_lock/', ?), 256), 40)))",
                Long.class,
                key);
    }

    /** How long the key's longest lease lasts. */
    @Override
    public long millisLeft(String key) {
        Long millis = sql.queryForObject(
                "SELECT COALESCE(MAX(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at)), 0) DIV 1000"
                        + " FROM rowlock_lock WHERE lock_key = ?",
                Long.class,
                (Object) bytes(key));
        return millis == null ? 0 : millis;
    }

    /** Makes every lease of the key run out now. */
    @Override
    public void age(String key) {
        sql.update(
                "UPDATE rowlock_lock SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE lock_key = ?",
                (Object) bytes(key));
    }

    /** What an operator does to free a key. */
    @Override
    public void forceRelease(String key) {
        sql.update(
                "UPDATE rowlock_lock SET expires_at = '1970-01-01', owner = '' WHERE lock_key = ? AND slot = 0",
                (Object) bytes(key));
    }

    @Override
    public void shorten(String key, Duration left) {
        sql.update(
                "UPDATE rowlock_lock SET expires_at = UTC_TIMESTAMP(6) + INTERVAL ? SECOND WHERE lock_key = ? AND slot > 0",
                left.toSeconds(),
                bytes(key));
    }

    @Override
    public void hide() {
        sql.execute("RENAME TABLE rowlock_lock TO rowlock_hidden");
    }

    @Override
    public void unhide() {
        sql.execute("RENAME TABLE rowlock_hidden TO rowlock_lock");
    }

    @Override
    public int balance() {
        Integer balance = sql.queryForObject("SELECT balance FROM account WHERE id = 1", Integer.class);
        return balance == null ? -1 : balance;
    }

    @Override
    public void setBalance(int balance) {
        sql.update("UPDATE account SET balance = ? WHERE id = 1", balance);
    }

    /** Ends every other session in the schema, in the middle of whatever it does. */
    @Override
    public void killSessions() {
        for (ServerSession session : sessions()) {
            if (session.runs("PROCESSLIST")) {
                continue; // this one
            }
            try {
                sql.execute("KILL " + session.id());
            } catch (org.springframework.dao.DataAccessException gone) {
                // it ended by itself
            }
        }
    }
}
