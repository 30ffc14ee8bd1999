package io.rowlock.sample.pause;

import io.rowlock.sample.node.Happened;
import io.rowlock.sample.node.Node;
import io.rowlock.sample.node.NodeException;
import io.rowlock.sample.node.Nodes;
import io.rowlock.sample.watch.Stage;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * Makes the process of a node stand still in the middle of a guarded transaction, for longer than the ttl of its lock, has
 * another node do the same transaction meanwhile, and lets the first one go on.
 */
@Service
@Profile("!node")
class PausedHolder {
    private static final long OPENED = 100_00;
    private static final long WITHDRAWN = 30_00;
    private static final int PATIENCE_SECONDS = 60;

    private final Nodes nodes;
    private final AccountBooks books;
    private final Stage stage;
    private final ReentrantLock only = new ReentrantLock();
    private final Map<String, CompletableFuture<Boolean>> awaited = new ConcurrentHashMap<>();

    PausedHolder(Nodes nodes, AccountBooks books, Stage stage) {
        this.nodes = nodes;
        this.books = books;
        this.stage = stage;
    }

    /** One at a time: two would pause each other's nodes. */
    PauseResult run(@Nullable String strategy) throws InterruptedException {
        if (!only.tryLock()) {
            throw new NodeException("A node is being paused already.");
        }
        try {
            return withdrawTwice(strategy);
        } finally {
            only.unlock();
        }
    }

    private PauseResult withdrawTwice(@Nullable String strategy) throws InterruptedException {
        List<Node> up = nodes.up(2);
        Node first = up.get(0);
        Node second = up.get(1);
        Withdrawal wanted = new Withdrawal(books.open(OPENED), WITHDRAWN, strategy);

        CompletableFuture<Withdrawal.Done> slow = pauseWhileItCounts(first, wanted);
        try {
            say("%s asks for the same, and %s"
                    .formatted(second.name(), wanted.locked() ? "waits for the lock" : "does not wait"));
            Withdrawal.Done meanwhile = answer(second, ask(second, wanted));
            String end = meanwhile.committed() ? "has committed" : "failed (%s)".formatted(meanwhile.sentence());
            say("%s %s; %s goes on where it was".formatted(second.name(), end, first.name()));
        } finally {
            first.resume();
        }
        Withdrawal.Done done = answer(first, slow);
        say("%s: %s".formatted(first.name(), done.sentence()));
        return result(wanted, first, second, done);
    }

    private CompletableFuture<Withdrawal.Done> pauseWhileItCounts(Node node, Withdrawal wanted) {
        CompletableFuture<Boolean> counts = new CompletableFuture<>();
        awaited.put(node.name(), counts);
        say("%s withdraws %d %s".formatted(node.name(), WITHDRAWN / 100, how(wanted)));
        CompletableFuture<Withdrawal.Done> done = ask(node, wanted);
        try {
            CompletableFuture.anyOf(counts, done).join(); // if it fails before it counts, it never will
            if (!counts.isDone()) {
                throw new NodeException("%s did not get as far as to be paused: %s"
                        .formatted(node.name(), done.join().sentence()));
            }
        } catch (CompletionException e) {
            throw new NodeException("%s did not get as far as to be paused.".formatted(node.name()));
        } finally {
            awaited.remove(node.name());
        }
        node.pause();
        say("%s has read the balance, and stands still".formatted(node.name()));
        return done;
    }

    private static String how(Withdrawal wanted) {
        if (!wanted.locked()) {
            return "without a lock";
        }
        return wanted.inRedis() ? "under the lock in Redis" : "under the lock";
    }

    private static Withdrawal.Done answer(Node node, CompletableFuture<Withdrawal.Done> asked) {
        try {
            return asked.join();
        } catch (CompletionException e) {
            throw new NodeException("%s did not answer.".formatted(node.name()));
        }
    }

    private static CompletableFuture<Withdrawal.Done> ask(Node node, Withdrawal wanted) {
        return node.ask("withdraw", wanted, Withdrawal.Done.class).orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @EventListener(condition = "#happened.topic == 'cashier counts'")
    void on(Happened happened) {
        CompletableFuture<Boolean> waiting = awaited.remove(happened.node());
        if (waiting != null) {
            waiting.complete(true);
        }
    }

    private void say(String step) {
        stage.tell("step", Map.of("sentence", step));
    }

    /** Counts rows, not what the nodes believe. */
    private PauseResult result(Withdrawal wanted, Node first, Node second, Withdrawal.Done done) {
        long paidOut = books.paidOut(wanted.accountId());
        long balance = books.balance(wanted.accountId());
        return new PauseResult(
                wanted.accountId(),
                wanted.key(),
                wanted.locked(),
                wanted.strategy(),
                first.name(),
                second.name(),
                OPENED,
                paidOut,
                balance,
                balance + paidOut == OPENED,
                !done.committed(),
                done.sentence(),
                done.sql());
    }
}
