package io.rowlock.store.jdbc.session;

import java.sql.SQLException;
import java.sql.Statement;

/** Reads the answers to several statements that are sent at once. */
final class PacketReader {
    private PacketReader() {}

    /**
     * Sends statements.
     *
     * @param row reads each row of the one that answers with some
     * @return how many rows the others matched together, whether or not they changed
     */
    static int matched(Statement statement, String sql, Session.Row<?> row) throws SQLException {
        int matched = 0;
        boolean answers = statement.execute(sql);
        for (int count = statement.getUpdateCount(); answers || count >= 0; count = statement.getUpdateCount()) {
            if (answers) {
                Object unused = Session.rows(statement.getResultSet(), row);
            } else {
                matched += count;
            }
            answers = statement.getMoreResults();
        }
        return matched;
    }
}
