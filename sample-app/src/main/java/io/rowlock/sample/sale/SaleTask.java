package io.rowlock.sample.sale;

import io.rowlock.DistributedLockException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.sample.node.Task;
import io.rowlock.sample.watch.LockWatch;
import io.rowlock.sample.watch.SqlTrace;
import io.rowlock.sample.work.Workers;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Profile;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/** Serves the buyers of a flash sale that come to this node. */
@Component
@Profile("node")
class SaleTask implements Task<SaleShare, SaleShare.Done> {

    private static final Logger log = LoggerFactory.getLogger(SaleTask.class);

    private final Shop shop;
    private final Workers workers;
    private final LockWatch watch;

    SaleTask(Shop shop, Workers workers, LockWatch watch) {
        this.shop = shop;
        this.workers = workers;
        this.watch = watch;
    }

    @Override
    public String name() {
        return "sell";
    }

    @Override
    public Class<SaleShare> input() {
        return SaleShare.class;
    }

    @Override
    public SaleShare.Done run(SaleShare share) throws InterruptedException, ExecutionException {
        SqlTrace sql = new SqlTrace();
        List<Purchase> purchases = workers.serve(share.buyers(), buyer -> sql.noting(() -> serve(share)));
        return new SaleShare.Done(purchases, sql.statements());
    }

    private Purchase serve(SaleShare share) {
        try {
            boolean bought = share.lock()
                    ? watch.wanting(share.key(), LockMode.EXCLUSIVE, () -> buy(share))
                    : watch.without(share.key(), () -> shop.buyWithoutLock(share.itemId()));
            return bought ? Purchase.BOUGHT : Purchase.SOLD_OUT;
        } catch (LockNotAcquiredException e) {
            return Purchase.GAVE_UP;
        } catch (DistributedLockException | DataAccessException | TransactionException e) {
            log.warn("A purchase failed: {}", e.getMessage());
            return Purchase.FAILED;
        }
    }

    private boolean buy(SaleShare share) {
        return share.strategy().equals(SaleOrder.TRANSACTION)
                ? shop.buyInTransaction(share.itemId())
                : shop.buy(share.itemId());
    }
}
