package io.rowlock.verification.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Code beside the load that takes all connections of pools, one after the other as they come back, and keeps them for a while. */
final class Borrower {
    private final List<HikariDataSource> pools;
    private CountDownLatch returned = new CountDownLatch(0);

    Borrower(List<HikariDataSource> pools) {
        this.pools = pools;
    }

    /** @param all whether it is to have all connections from now on, or none. To be called by one thread */
    void borrow(boolean all) {
        if (all == (returned.getCount() > 0)) {
            return;
        }
        returned.countDown();
        if (all) {
            CountDownLatch end = new CountDownLatch(1);
            returned = end;
            pools.forEach(pool -> {
                Thread borrower = new Thread(() -> exhaust(pool, end), "borrower-" + pool.getPoolName());
                borrower.setDaemon(true);
                borrower.start();
            });
        }
    }

    private static void exhaust(HikariDataSource pool, CountDownLatch end) {
        List<Connection> taken = new ArrayList<>();
        while (end.getCount() > 0 && taken.size() < pool.getMaximumPoolSize()) {
            try {
                taken.add(pool.getConnection());
            } catch (SQLException | RuntimeException e) {
                // others have them all, or the server is away: this has taken as long as the pool waits
            }
        }
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Connection connection : taken) {
            try {
                connection.close();
            } catch (SQLException e) {
                // it was broken
            }
        }
    }
}
