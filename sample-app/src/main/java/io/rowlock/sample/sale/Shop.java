package io.rowlock.sample.sale;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.sample.stage.Span;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sells items. A sale reads the stock, waits for the payment and writes the stock back: two sales of one
 * item at a time would both sell the same piece.
 */
@Service
class Shop {

    private static final Duration PAYMENT = Duration.ofMillis(2);

    private final JdbcClient database;
    private final String node;

    Shop(JdbcClient database, @Value("${sample.node}") String node) {
        this.database = database;
        this.node = node;
    }

    /**
     * Sells one piece, if there is one, under the item's lock: acquired before the transaction begins, released after it has committed.
     */
    @DistributedLock(name = "item", key = "#itemId", waitTime = "2m")
    @Transactional
    public boolean buy(long itemId) {
        return sellOne(itemId);
    }

    /**
     * Sells one piece with the lock in the transaction: acquired by its first statement, released by its commit. It has a name of its
     * own, because locks of two strategies do not exclude each other.
     */
    @DistributedLock(name = "item-in-transaction", key = "#itemId", waitTime = "2m", strategy = "transaction")
    @Transactional
    public boolean buyInTransaction(long itemId) {
        return sellOne(itemId);
    }

    /** Sells one piece without the lock. A transaction alone does not help: each one reads a stock that others are changing. */
    @Transactional
    public boolean buyWithoutLock(long itemId) {
        return sellOne(itemId);
    }

    private boolean sellOne(long itemId) {
        int stock = database.sql("SELECT stock FROM sample_item WHERE id = ?")
                .param(itemId)
                .query(Integer.class)
                .single();
        if (stock == 0) {
            return false;
        }
        Span.pass(PAYMENT);
        database.sql("UPDATE sample_item SET stock = ? WHERE id = ?")
                .params(stock - 1, itemId)
                .update();
        database.sql("INSERT INTO sample_sale (item_id, node) VALUES (?, ?)")
                .params(itemId, node)
                .update();
        return true;
    }
}
