package io.rowlock.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A session of a server. Read with {@code SHOW PROCESSLIST}: MySQL fills the table of the same content in utf8mb3, and fails
 * while any session of the server runs a statement with an emoji.
 *
 * @param id its connection id
 * @param schema its schema, or null
 * @param statement what it runs, or null
 */
public record ServerSession(
        long id, @Nullable String schema, @Nullable String statement) {
    public static List<ServerSession> all(JdbcTemplate sql) {
        return sql.query(
                "SHOW FULL PROCESSLIST",
                (row, number) -> new ServerSession(row.getLong("Id"), row.getString("db"), row.getString("Info")));
    }

    /** Those in a schema. */
    public static List<ServerSession> of(JdbcTemplate sql, String schema) {
        return all(sql).stream()
                .filter(session -> schema.equals(session.schema))
                .toList();
    }

    public boolean runs(String part) {
        return statement != null && statement.contains(part);
    }
}
