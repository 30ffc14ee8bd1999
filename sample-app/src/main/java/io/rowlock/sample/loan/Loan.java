package io.rowlock.sample.loan;

import io.rowlock.sample.loan.Deed.Outcome;
import io.rowlock.sample.loan.LoanBooks.Balance;
import io.rowlock.sample.loan.LoanShare.Errand;
import io.rowlock.sample.node.Node;
import io.rowlock.sample.node.Nodes;
import io.rowlock.sample.work.Shares;
import io.rowlock.sample.work.Span;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/** Lets creditors on several nodes trade their claims on a debt while it is being repaid, then counts the money. */
@Service
@Profile("!node")
class Loan {

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

    LoanResult run(LoanOrder order) throws InterruptedException {
        List<Node> banks = nodes.up(order.nodes()).subList(0, order.nodes());
        List<List<Errand>> shares = shares(order);
        long debtId = books.addDebt(CREDITORS, CLAIM);
        long start = System.nanoTime();
        List<LoanShare.Done> done = Shares.done(
                banks,
                "trade and repay",
                bank -> new LoanShare(debtId, shares.get(bank), order.lock()),
                LoanShare.Done.class,
                bank -> LoanShare.Done.lost(shares.get(bank).size()));
        Duration duration = Duration.ofNanos(System.nanoTime() - start).truncatedTo(ChronoUnit.MILLIS);
        return result(order, debtId, done, duration);
    }

    /** Deals everything out to the nodes, in turn, the repayments evenly among the transfers. */
    private static List<List<Errand>> shares(LoanOrder order) {
        List<List<Errand>> shares = Stream.generate(() -> (List<Errand>) new ArrayList<Errand>())
                .limit(order.nodes())
                .toList();
        int all = order.transfers() + order.repayments();
        int repayments = 0;
        for (int number = 0; number < all; number++) {
            boolean repayment = (2L * (number + 1) * order.repayments() + all) / (2L * all) > repayments;
            Transfer transfer = repayment ? new Transfer(0, 0, REPAYMENT) : transfer(number - repayments);
            repayments += repayment ? 1 : 0;
            shares.get(number % order.nodes()).add(new Errand(transfer, repayment));
        }
        return shares;
    }

    /** Some transfer between two creditors, another one for every number. */
    private static Transfer transfer(int number) {
        int seller = number % CREDITORS;
        int buyer = (seller + 1 + number / CREDITORS % (CREDITORS - 1)) % CREDITORS;
        return new Transfer(seller, buyer, 1 + number * 37L % MAX_TRANSFER);
    }

    /** Counts rows, not what the banks believe. */
    private LoanResult result(LoanOrder order, long debtId, List<LoanShare.Done> done, Duration duration) {
        List<Deed> deeds =
                done.stream().flatMap(share -> share.deeds().stream()).toList();
        Balance balance = books.balance(debtId);
        List<Span> transfers = Deed.spans(deeds, Outcome.TRANSFERRED);
        List<Span> repayments = Deed.spans(deeds, Outcome.REPAID);
        return new LoanResult(
                debtId,
                order.transfers(),
                order.repayments(),
                order.nodes(),
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
                duration,
                done.get(0).sql());
    }
}
