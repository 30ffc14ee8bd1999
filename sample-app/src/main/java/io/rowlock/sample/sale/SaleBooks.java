package io.rowlock.sample.sale;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;

/** The rows of a flash sale, before it starts and after it has ended. */
@Repository
@Profile("!node")
class SaleBooks {

    private final JdbcClient database;

    SaleBooks(JdbcClient database) {
        this.database = database;
    }

    /** Adds an item and returns its id. Each sale has an item of its own, so that sales do not meet. */
    long addItem(int stock) {
        KeyHolder id = new GeneratedKeyHolder();
        database.sql("INSERT INTO sample_item (stock) VALUES (?)").param(stock).update(id);
        return Objects.requireNonNull(id.getKey()).longValue();
    }

    int stock(long itemId) {
        return database.sql("SELECT stock FROM sample_item WHERE id = ?")
                .param(itemId)
                .query(Integer.class)
                .single();
    }

    Map<String, Integer> soldByNode(long itemId) {
        Map<String, Integer> sold = new LinkedHashMap<>();
        database.sql("SELECT node, COUNT(*) FROM sample_sale WHERE item_id = ? GROUP BY node ORDER BY node")
                .param(itemId)
                .query(row -> {
                    sold.put(row.getString(1), row.getInt(2));
                });
        return sold;
    }
}
