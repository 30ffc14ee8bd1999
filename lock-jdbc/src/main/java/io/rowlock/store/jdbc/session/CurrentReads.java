package io.rowlock.store.jdbc.session;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/**
 * Locking reads on the connection of the application's transaction. They must see, and lock, what others have committed
 * since that transaction began to read: a lease it relies on may have been renewed, or taken, meanwhile.
 *
 * <p>MySQL reads so always. MariaDB with {@code innodb_snapshot_isolation}, which is on by default from 11.6.2 on, refuses
 * such a row under REPEATABLE READ with error 1020 and rolls the transaction back. So there the setting is off for the one
 * statement; the application's own statements keep it. Servers from before the setting do not know it and say so, once.
 */
public final class CurrentReads {
    private static final String CURRENT = "SET STATEMENT innodb_snapshot_isolation = OFF FOR ";
    private static final int UNKNOWN_VARIABLE = 1193;

    private final Session session;
    private final String server;
    private final Set<String> withoutSetting;

    /**
     * @param session within the transaction
     * @param server the version of its server, as the driver knows it
     * @param withoutSetting versions known not to have the setting, thread-safe; may grow
     */
    CurrentReads(Session session, String server, Set<String> withoutSetting) {
        this.session = session;
        this.server = server;
        this.withoutSetting = withoutSetting;
    }

    /**
     * Reads and locks rows. Late or without an answer it does no harm: the locks it may take end with the transaction, which
     * cannot commit before the answer has come.
     */
    public <T> List<T> query(String sql, Session.Row<T> row, Object... parameters) throws SQLException {
        return current(sql, statement -> session.query(statement, row, parameters));
    }

    /** Reads rows as the transaction sees them, and locks none. */
    public <T> List<T> snapshot(String sql, Session.Row<T> row, Object... parameters) throws SQLException {
        return session.query(sql, row, parameters);
    }

    /** Changes a row and returns how many it counts. The same holds for it. */
    public int update(String sql, Object... parameters) throws SQLException {
        return current(sql, statement -> session.update(statement, parameters));
    }

    private interface Read<T> {
        T run(String statement) throws SQLException;
    }

    private <T> T current(String sql, Read<T> read) throws SQLException {
        if (!server.contains("MariaDB") || withoutSetting.contains(server)) {
            return read.run(sql);
        }
        try {
            return read.run(CURRENT + sql);
        } catch (SQLException e) {
            if (e.getErrorCode() != UNKNOWN_VARIABLE) {
                throw e;
            }
            withoutSetting.add(server);
            return read.run(sql);
        }
    }
}
