package io.rowlock.sample.stage;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Component;

/** Adds the rows of a scenario before it starts, and counts them after it has ended. */
@Component
public class Books {

    private final JdbcClient database;

    Books(JdbcClient database) {
        this.database = database;
    }

    /** Adds a row and returns its id. */
    public long add(String insert, Object... values) {
        KeyHolder id = new GeneratedKeyHolder();
        database.sql(insert).params(values).update(id);
        return Objects.requireNonNull(id.getKey()).longValue();
    }

    /** Returns the one number that a query answers. */
    public long number(String query, Object... values) {
        return database.sql(query).params(values).query(Long.class).single();
    }

    /** Returns what a query answers for each node: rows of a node and a number. */
    public Map<String, Integer> byNode(String query, Object... values) {
        Map<String, Integer> byNode = new LinkedHashMap<>();
        database.sql(query).params(values).query(row -> {
            byNode.put(row.getString(1), row.getInt(2));
        });
        return byNode;
    }
}
