package io.rowlock.sample;

import io.rowlock.DistributedLockException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.sample.Deed.Outcome;
import io.rowlock.sample.LoanBooks.Balance;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.TransactionException;

/** Lets creditors on two nodes trade their claims on a debt while it is being repaid, then counts the money. */
@Service
@ConditionalOnWebApplication
class Loan {

    private static final Logger log = LoggerFactory.getLogger(Loan.class);

    private static final int CREDITORS = 5;
    private static final long CLAIM = 200_000_00;
    private static final long PRINCIPAL = CREDITORS * CLAIM;
    private static final long REPAYMENT = 4_999_99; // as often as it may be wanted, it is half the debt
    private static final int MAX_TRANSFER = 100_00; // as often as it may be wanted, it is half a claim

    private final Nodes nodes;
    private final LoanBooks books;

    Loan(Nodes nodes, LoanBooks books) {
        this.nodes = nodes;
        this.books = books;
    }

    LoanResult run(LoanOrder order) throws InterruptedException, ExecutionException {
        long debtId = books.addDebt(CREDITORS, CLAIM);
        List<Bank> banks = nodes.all(Bank.class);
        long start = System.nanoTime();
        List<Deed> deeds = Crowd.rush(order.transfers() + order.repayments(), person -> {
            Bank bank = banks.get(person % banks.size());
            return person < order.transfers()
                    ? transfer(bank, debtId, transfer(person), order.lock())
                    : repay(bank, debtId, order.lock());
        });
        Duration duration = Duration.ofNanos(System.nanoTime() - start).truncatedTo(ChronoUnit.MILLIS);
        return result(order, debtId, deeds, duration);
    }

    /** Some transfer between two creditors, another one for every number. */
    private static Transfer transfer(int number) {
        int seller = number % CREDITORS;
        int buyer = (seller + 1 + number / CREDITORS % (CREDITORS - 1)) % CREDITORS;
        return new Transfer(seller, buyer, 1 + number * 37L % MAX_TRANSFER);
    }

    private static Deed transfer(Bank bank, long debtId, Transfer transfer, boolean lock) {
        return attempt(
                Outcome.TRANSFERRED,
                () -> lock ? bank.transfer(debtId, transfer) : bank.transferWithoutLock(debtId, transfer));
    }

    private static Deed repay(Bank bank, long debtId, boolean lock) {
        return attempt(
                Outcome.REPAID, () -> lock ? bank.repay(debtId, REPAYMENT) : bank.repayWithoutLock(debtId, REPAYMENT));
    }

    private static Deed attempt(Outcome success, Supplier<Span> work) {
        try {
            return new Deed(success, work.get());
        } catch (LockNotAcquiredException e) {
            return Deed.undone(Outcome.GAVE_UP);
        } catch (DistributedLockException | DataAccessException | TransactionException e) {
            log.warn("A transfer or repayment failed: {}", e.getMessage());
            return Deed.undone(Outcome.FAILED);
        }
    }

    /** Counts rows, not what the banks believe. */
    private LoanResult result(LoanOrder order, long debtId, List<Deed> deeds, Duration duration) {
        Balance balance = books.balance(debtId);
        List<Span> transfers = Deed.spans(deeds, Outcome.TRANSFERRED);
        List<Span> repayments = Deed.spans(deeds, Outcome.REPAID);
        return new LoanResult(
                debtId,
                order.transfers(),
                order.repayments(),
                order.lock(),
                PRINCIPAL,
                balance.transferred(),
                balance.repaid(),
                balance.paidOut(),
                balance.outstanding(),
                balance.claims(),
                balance.lost(),
                balance.created(),
                balance.addsUpTo(PRINCIPAL),
                Span.peak(transfers),
                Span.overlaps(repayments, transfers),
                Deed.spans(deeds, Outcome.GAVE_UP).size(),
                Deed.spans(deeds, Outcome.FAILED).size(),
                duration);
    }
}
