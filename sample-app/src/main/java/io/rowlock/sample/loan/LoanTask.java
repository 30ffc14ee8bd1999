package io.rowlock.sample.loan;

import io.rowlock.DistributedLockException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.sample.loan.Deed.Outcome;
import io.rowlock.sample.loan.LoanShare.Errand;
import io.rowlock.sample.node.Task;
import io.rowlock.sample.watch.LockWatch;
import io.rowlock.sample.watch.SqlTrace;
import io.rowlock.sample.work.Span;
import io.rowlock.sample.work.Workers;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Profile;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/** Does the transfers and repayments of a debt that fall to this node. */
@Component
@Profile("node")
class LoanTask implements Task<LoanShare, LoanShare.Done> {

    private static final Logger log = LoggerFactory.getLogger(LoanTask.class);

    private final Bank bank;
    private final Workers workers;
    private final LockWatch watch;

    LoanTask(Bank bank, Workers workers, LockWatch watch) {
        this.bank = bank;
        this.workers = workers;
        this.watch = watch;
    }

    @Override
    public String name() {
        return "trade and repay";
    }

    @Override
    public Class<LoanShare> input() {
        return LoanShare.class;
    }

    @Override
    public LoanShare.Done run(LoanShare share) throws InterruptedException, ExecutionException {
        SqlTrace sql = new SqlTrace();
        List<Deed> deeds = workers.serve(share.errands().size(), number -> {
            Errand errand = share.errands().get(number);
            return sql.noting(() -> attempt(share, errand));
        });
        return new LoanShare.Done(deeds, sql.statements());
    }

    private Deed attempt(LoanShare share, Errand errand) {
        try {
            Span span = share.lock() ? withLock(share.debtId(), errand) : withoutLock(share.debtId(), errand);
            return new Deed(errand.repayment() ? Outcome.REPAID : Outcome.TRANSFERRED, span);
        } catch (LockNotAcquiredException e) {
            return Deed.undone(Outcome.GAVE_UP);
        } catch (DistributedLockException | DataAccessException | TransactionException e) {
            log.warn("A transfer or repayment failed: {}", e.getMessage());
            return Deed.undone(Outcome.FAILED);
        }
    }

    private Span withLock(long debtId, Errand errand) {
        Transfer transfer = errand.transfer();
        return errand.repayment()
                ? watch.wanting(key(debtId), LockMode.EXCLUSIVE, () -> bank.repay(debtId, transfer.cents()))
                : watch.wanting(key(debtId), LockMode.SHARED, () -> bank.transfer(debtId, transfer));
    }

    private Span withoutLock(long debtId, Errand errand) {
        Transfer transfer = errand.transfer();
        return watch.without(
                key(debtId),
                () -> errand.repayment()
                        ? bank.repayWithoutLock(debtId, transfer.cents())
                        : bank.transferWithoutLock(debtId, transfer));
    }

    private static String key(long debtId) {
        return "debt:" + debtId;
    }
}
