package io.rowlock.sample.loan;

import io.rowlock.LockMode;
import io.rowlock.sample.loan.LoanBooks.Balance;
import io.rowlock.sample.stage.Node;
import io.rowlock.sample.stage.Nodes;
import io.rowlock.sample.stage.Refusal;
import io.rowlock.sample.stage.Run;
import io.rowlock.sample.stage.Span;
import io.rowlock.sample.stage.Visit;
import io.rowlock.sample.stage.Watch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /loan}: lets creditors on several nodes trade their claims on a debt while it is repaid, then counts the money. */
@RestController
class LoanController {

    private static final ParameterizedTypeReference<Visit<Span>> DEED = new ParameterizedTypeReference<>() {};
    private static final int MAX_TRANSFERS = 1000;
    private static final int MAX_REPAYMENTS = 100;
    private static final int CREDITORS = 5;
    private static final long CLAIM = 200_000_00;
    private static final long PRINCIPAL = CREDITORS * CLAIM;
    private static final long REPAYMENT = 4_999_99; // as often as it may be wanted, it is half the debt
    private static final int MAX_TRANSFER = 100_00; // as often as it may be wanted, it is half a claim

    private final Bank bank;
    private final LoanBooks books;
    private final Nodes nodes;
    private final Watch watch;

    LoanController(Bank bank, LoanBooks books, Nodes nodes, Watch watch) {
        this.bank = bank;
        this.books = books;
        this.nodes = nodes;
        this.watch = watch;
    }

    /** Moves a part of a claim on this node. */
    @PostMapping("/loan/{debt}/transfers")
    Visit<Span> transfer(
            @PathVariable long debt,
            @RequestParam boolean lock,
            @RequestParam int seller,
            @RequestParam int buyer,
            @RequestParam long cents) {
        return lock
                ? watch.withLock("debt:" + debt, LockMode.SHARED, () -> bank.transfer(debt, seller, buyer, cents))
                : watch.withoutLock("debt:" + debt, () -> bank.transferWithoutLock(debt, seller, buyer, cents));
    }

    /** Repays a part of the debt on this node. */
    @PostMapping("/loan/{debt}/repayments")
    Visit<Span> repay(@PathVariable long debt, @RequestParam boolean lock, @RequestParam long cents) {
        return lock
                ? watch.withLock("debt:" + debt, LockMode.EXCLUSIVE, () -> bank.repay(debt, cents))
                : watch.withoutLock("debt:" + debt, () -> bank.repayWithoutLock(debt, cents));
    }

    @PostMapping("/loan")
    LoanResult run(
            @RequestParam(defaultValue = "200") int transfers,
            @RequestParam(defaultValue = "10") int repayments,
            @RequestParam(name = "nodes", required = false) @Nullable Integer some,
            @RequestParam(defaultValue = "true") boolean lock)
            throws InterruptedException {
        Refusal.check("transfers", transfers, MAX_TRANSFERS);
        Refusal.check("repayments", repayments, MAX_REPAYMENTS);
        List<Node> banks = nodes.choose(some);
        long debt = books.addDebt(CREDITORS, CLAIM);
        List<String> requests = requests(debt, transfers, repayments, lock);
        Run<Span> run = Run.of(banks, requests.size(), requests::get, DEED);
        Balance balance = books.balance(debt);
        List<Span> transferred = spans(run, requests, "/transfers");
        List<Span> repaid = spans(run, requests, "/repayments");
        return new LoanResult(
                debt,
                lock,
                PRINCIPAL,
                balance.transferred(),
                balance.repaid(),
                balance.paidOut(),
                balance.outstanding(),
                balance.claims(),
                balance.lost(),
                balance.created(),
                balance.addsUpTo(PRINCIPAL),
                Span.peak(transferred),
                Span.overlaps(repaid, transferred),
                run.gaveUp(),
                run.failed(),
                run.duration(),
                run.sql());
    }

    /** Returns what is posted to the nodes in turn, the repayments evenly among the transfers. */
    private static List<String> requests(long debt, int transfers, int repayments, boolean lock) {
        List<String> requests = new ArrayList<>();
        int all = transfers + repayments;
        int repaid = 0;
        for (int number = 0; number < all; number++) {
            if ((2L * (number + 1) * repayments + all) / (2L * all) > repaid) {
                requests.add("/loan/%d/repayments?lock=%b&cents=%d".formatted(debt, lock, REPAYMENT));
                repaid++;
            } else {
                requests.add(transfer(debt, number - repaid, lock));
            }
        }
        return requests;
    }

    /** Returns the request for some transfer between two creditors, another one for every number. */
    private static String transfer(long debt, int number, boolean lock) {
        int seller = number % CREDITORS;
        int buyer = (seller + 1 + number / CREDITORS % (CREDITORS - 1)) % CREDITORS;
        long cents = 1 + number * 37L % MAX_TRANSFER;
        return "/loan/%d/transfers?lock=%b&seller=%d&buyer=%d&cents=%d".formatted(debt, lock, seller, buyer, cents);
    }

    /** Returns the times at which requests of a kind were carried out. */
    private static List<Span> spans(Run<Span> run, List<String> requests, String kind) {
        return IntStream.range(0, requests.size())
                .filter(number -> requests.get(number).contains(kind))
                .mapToObj(number -> run.visits().get(number).result())
                .filter(Objects::nonNull)
                .toList();
    }
}
