package io.rowlock.sample.pause;

import io.rowlock.LockMode;
import io.rowlock.sample.stage.Books;
import io.rowlock.sample.stage.Happened;
import io.rowlock.sample.stage.Node;
import io.rowlock.sample.stage.Nodes;
import io.rowlock.sample.stage.Refusal;
import io.rowlock.sample.stage.Stage;
import io.rowlock.sample.stage.Visit;
import io.rowlock.sample.stage.Visit.Outcome;
import io.rowlock.sample.stage.Watch;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.event.EventListener;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * {@code POST /pause}: pauses a node in the middle of a guarded transaction, for longer than the ttl of its lock, has another
 * node do the same transaction meanwhile, and resumes the first one. {@code GET /pause}: the strategies that the lock may have.
 */
@RestController
class PauseController {

    private static final ParameterizedTypeReference<Visit<Long>> WITHDRAWAL = new ParameterizedTypeReference<>() {};
    private static final long OPENED = 100_00;
    private static final long WITHDRAWN = 30_00;

    private final Accounts accounts;
    private final ObjectProvider<RedisAccounts> redisAccounts;
    private final Books books;
    private final Nodes nodes;
    private final Watch watch;
    private final Stage stage;
    private final Map<String, CompletableFuture<Object>> approvals = new ConcurrentHashMap<>();

    PauseController(
            Accounts accounts,
            ObjectProvider<RedisAccounts> redisAccounts,
            Books books,
            Nodes nodes,
            Watch watch,
            Stage stage) {
        this.accounts = accounts;
        this.redisAccounts = redisAccounts;
        this.books = books;
        this.nodes = nodes;
        this.watch = watch;
        this.stage = stage;
    }

    /** Withdraws on this node. */
    @PostMapping("/pause/{account}/withdrawals")
    Visit<Long> withdraw(@PathVariable long account, @RequestParam boolean lock, @RequestParam String strategy) {
        String key = key(account, strategy);
        if (!lock) {
            return watch.withoutLock(key, () -> accounts.withdrawWithoutLock(account, WITHDRAWN));
        }
        return watch.withLock(
                key,
                LockMode.EXCLUSIVE,
                () -> strategy.equals("redis")
                        ? redisAccounts.getObject().withdraw(account, WITHDRAWN)
                        : accounts.withdraw(account, WITHDRAWN));
    }

    @GetMapping("/pause")
    List<String> strategies() {
        return redisAccounts.getIfAvailable() == null ? List.of("lease") : List.of("lease", "redis");
    }

    /** Runs one at a time: two runs would pause each other's nodes. */
    @PostMapping("/pause")
    synchronized PauseResult run(
            @RequestParam(defaultValue = "true") boolean lock, @RequestParam(defaultValue = "lease") String strategy)
            throws InterruptedException {
        Refusal.checkKnown("strategy", strategy, strategies());
        List<Node> up = nodes.up(2);
        Node first = up.get(0);
        Node second = up.get(1);
        long account = books.add("INSERT INTO sample_account (cents) VALUES (?)", OPENED);
        String request = "/pause/%d/withdrawals?lock=%b&strategy=%s".formatted(account, lock, strategy);
        say("%s withdraws %d %s".formatted(first.name(), WITHDRAWN / 100, lock ? "under the lock" : "without a lock"));
        CompletableFuture<Visit<Long>> slow = pauseInApproval(first, request);
        try {
            say("%s asks for the same, and %s".formatted(second.name(), lock ? "waits for the lock" : "does not wait"));
            Visit<Long> meanwhile = answer(second.post(request, WITHDRAWAL));
            say("%s %s; %s resumes"
                    .formatted(
                            second.name(),
                            committed(meanwhile) ? "has committed" : "failed (%s)".formatted(meanwhile.sentence()),
                            first.name()));
        } finally {
            first.resume();
        }
        Visit<Long> done = answer(slow);
        String sentence = committed(done) ? "The transaction was committed." : Objects.requireNonNull(done.sentence());
        say("%s: %s".formatted(first.name(), sentence));
        long paidOut =
                books.number("SELECT COALESCE(SUM(cents), 0) FROM sample_withdrawal WHERE account_id = ?", account);
        long balance = books.number("SELECT cents FROM sample_account WHERE id = ?", account);
        return new PauseResult(
                account,
                key(account, strategy),
                lock ? strategy : null,
                first.name(),
                OPENED,
                paidOut,
                balance,
                balance + paidOut == OPENED,
                !committed(done),
                sentence,
                done.sql());
    }

    private CompletableFuture<Visit<Long>> pauseInApproval(Node node, String request) {
        CompletableFuture<Object> approval = new CompletableFuture<>();
        approvals.put(node.name(), approval);
        CompletableFuture<Visit<Long>> withdrawal = node.post(request, WITHDRAWAL);
        CompletableFuture.anyOf(approval, withdrawal).join(); // if it fails before the approval, that never begins
        approvals.remove(node.name());
        if (!approval.isDone()) {
            throw Refusal.conflict("%s did not get as far as to be paused: %s"
                    .formatted(node.name(), withdrawal.join().sentence()));
        }
        node.pause();
        say("%s has read the balance, and is paused".formatted(node.name()));
        return withdrawal;
    }

    @EventListener(condition = "#happened.topic == 'approval begins'")
    void on(Happened happened) {
        CompletableFuture<Object> approval = approvals.get(happened.node());
        if (approval != null) {
            approval.complete(happened);
        }
    }

    private static Visit<Long> answer(CompletableFuture<Visit<Long>> withdrawal) {
        Visit<Long> visit = withdrawal.join();
        if (visit.outcome() == Outcome.UNANSWERED) {
            throw Refusal.conflict(Objects.requireNonNull(visit.sentence()));
        }
        return visit;
    }

    private static boolean committed(Visit<Long> withdrawal) {
        return withdrawal.outcome() == Outcome.DONE;
    }

    private static String key(long account, String strategy) {
        return (strategy.equals("redis") ? "account-in-redis:" : "account:") + account;
    }

    private void say(String step) {
        stage.tell("step", Map.of("sentence", step));
    }
}
