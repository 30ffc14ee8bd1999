package io.rowlock.sample.pause;

import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.sample.node.Task;
import io.rowlock.sample.watch.LockWatch;
import io.rowlock.sample.watch.SqlTrace;
import io.rowlock.sample.work.Workers;
import java.util.concurrent.ExecutionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Withdraws money on this node. */
@Component
@Profile("node")
class WithdrawTask implements Task<Withdrawal, Withdrawal.Done> {

    private final Accounts accounts;
    private final ObjectProvider<RedisAccounts> redisAccounts;
    private final Workers workers;
    private final LockWatch watch;

    WithdrawTask(Accounts accounts, ObjectProvider<RedisAccounts> redisAccounts, Workers workers, LockWatch watch) {
        this.accounts = accounts;
        this.redisAccounts = redisAccounts;
        this.workers = workers;
        this.watch = watch;
    }

    @Override
    public String name() {
        return "withdraw";
    }

    @Override
    public Class<Withdrawal> input() {
        return Withdrawal.class;
    }

    @Override
    public Withdrawal.Done run(Withdrawal wanted) throws InterruptedException, ExecutionException {
        return workers.serve(1, customer -> withdraw(wanted)).get(0);
    }

    private Withdrawal.Done withdraw(Withdrawal wanted) {
        SqlTrace sql = new SqlTrace();
        try {
            sql.noting(() -> call(wanted));
            return new Withdrawal.Done(true, "The transaction was committed.", sql.statements());
        } catch (LockLostException | LockStoreException e) {
            return new Withdrawal.Done(false, String.valueOf(e.getMessage()), sql.statements());
        }
    }

    private boolean call(Withdrawal wanted) {
        if (wanted.locked()) {
            return watch.wanting(wanted.key(), LockMode.EXCLUSIVE, () -> callUnderLock(wanted));
        }
        return watch.without(wanted.key(), () -> {
            accounts.withdrawWithoutLock(wanted.accountId(), wanted.cents());
            return true;
        });
    }

    private boolean callUnderLock(Withdrawal wanted) {
        if (wanted.inRedis()) {
            redisAccounts.getObject().withdraw(wanted.accountId(), wanted.cents());
        } else {
            accounts.withdraw(wanted.accountId(), wanted.cents());
        }
        return true;
    }
}
