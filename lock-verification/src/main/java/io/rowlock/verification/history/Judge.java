package io.rowlock.verification.history;

import io.rowlock.verification.history.CounterSearch.Increment;
import io.rowlock.verification.history.Event.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Looks for what a history must not contain. A claim lasts from the moment a holder has its lock to the end it counts on itself, or until
 * the lock is taken away from it by what is in the history: its session ends, an operator ends the lease, or another server of Redis leads.
 */
public final class Judge {
    private static final long SLACK = Duration.ofSeconds(1).toNanos();

    /** Strategies whose locks expire by the clock of the database. */
    private static final Set<String> EXPIRE_BY_CLOCK = Set.of("lease", "unique-key");

    /** Its lock ends with the transaction, which the server keeps if it does not learn that its client is gone. */
    private static final String IN_TRANSACTION = "transaction";

    /** By then a server has noticed that its clock is set. */
    private static final long SETS = Duration.ofSeconds(2).toNanos();

    private static final long LONGEST_SET_BACK = Duration.ofSeconds(20).toNanos();

    private final History history;
    private final List<Write> writes;
    private final Limits limits;
    private final List<Violation> violations = new ArrayList<>();

    /**
     * The promises of a contender.
     *
     * @param ttl how long a dead holder keeps a key at most
     * @param overtime for how long a call may outlast its wait time
     * @param inTransaction the same if it waits on a connection of the application
     * @param fenced strategies under which a holder that was overtaken cannot commit, whatever its successor has done by then
     */
    public record Limits(Duration ttl, Duration overtime, Duration inTransaction, Set<String> fenced) {
        private Duration overtime(String strategy) {
            return strategy.equals(IN_TRANSACTION) ? inTransaction : overtime;
        }
    }

    private Judge(History history, List<Write> writes, Limits limits) {
        this.history = history;
        this.writes = writes;
        this.limits = limits;
    }

    /**
     * @param writes the rows that were found committed in the end
     * @return what breaks a rule, in the order of time
     */
    public static List<Violation> judge(History history, List<Write> writes, Limits limits) {
        Judge judge = new Judge(history, writes, limits);
        history.byKey().forEach(judge::key);
        judge.writes();
        judge.reigns();
        history.operations().forEach(judge::wait);
        judge.violations.addAll(new Arrivals(history).find());
        judge.violations.addAll(history.reports().judgeEvents(history));
        judge.violations.addAll(Growth.find(history.samples()));
        return judge.violations.stream()
                .sorted(Comparator.comparingLong(Violation::at))
                .toList();
    }

    /**
     * @param rows of the log in the end
     * @return what of the log is not so
     */
    public static List<Violation> judgeLog(History history, List<LogRow> rows) {
        return history.reports().judgeLog(history, rows);
    }

    private void found(String rule, long at, String text) {
        violations.add(new Violation(rule, at, text));
    }

    private void key(String key, List<Operation> all) {
        List<Operation> granted = all.stream()
                .filter(Operation::isGranted)
                .sorted(Comparator.comparingLong(operation -> operation.granted))
                .toList();
        overlaps(granted);
        tokens(all, granted);
        minimums(granted);
        if (granted.stream().anyMatch(operation -> limits.fenced().contains(operation.strategy()))) {
            overtaken(granted);
        }
        order(granted);
        counters(key, all);
        stuck(all, granted);
    }

    // ---- claims

    private void overlaps(List<Operation> granted) {
        List<Operation> live = new ArrayList<>();
        for (Operation next : granted) {
            live.removeIf(one -> one.claimEnd() <= next.granted);
            if (next.claimEnd() <= next.granted) {
                continue;
            }
            List<Operation> certain =
                    live.stream().filter(one -> !mayBothHold(one, next)).toList();
            for (Operation one : certain) {
                if (one.isExclusive() || next.isExclusive()) {
                    found(
                            "two holders",
                            next.granted,
                            "%s beside %s, which counted on %d ms more"
                                    .formatted(next, one, millis(one.claimEnd() - next.granted)));
                }
            }
            permits(certain, next);
            live.add(next);
        }
    }

    /** The second grant may come by a clock that was set forward, or from a server of Redis that did not know of the first. */
    private boolean mayBothHold(Operation one, Operation next) {
        return mayHaveExpiredEarly(next.strategy(), next.granted)
                || history.failOvers().stream()
                        .anyMatch(each -> each.explains(one, next, limits.ttl().toNanos()));
    }

    private void permits(List<Operation> live, Operation next) {
        List<Operation> permits = Stream.concat(live.stream(), Stream.of(next))
                .filter(one -> one.permits() > 0)
                .toList();
        int limit = permits.stream().mapToInt(Operation::permits).min().orElse(Integer.MAX_VALUE);
        if (permits.size() > limit) {
            found("too many permits", next.granted, "%d of %d: %s".formatted(permits.size(), limit, permits));
        }
    }

    /** A writer's token is greater than those of all that were granted before it asked; any other's is no smaller than the last writer's. */
    private void tokens(List<Operation> all, List<Operation> granted) {
        List<Operation> asking = all.stream()
                .filter(operation ->
                        operation.isGranted() && operation.token != Operation.NEVER && !operation.isOfNothing())
                .sorted(Comparator.comparingLong(operation -> operation.asked))
                .toList();
        List<Operation> before =
                granted.stream().filter(one -> one.token != Operation.NEVER).toList();
        int seen = 0;
        long greatest = Long.MIN_VALUE;
        long greatestWriter = Long.MIN_VALUE;
        for (Operation next : asking) {
            for (; seen < before.size() && before.get(seen).granted < next.asked; seen++) {
                Operation one = before.get(seen);
                greatest = Math.max(greatest, one.token);
                greatestWriter = one.isExclusive() ? Math.max(greatestWriter, one.token) : greatestWriter;
            }
            if (!hasTokenOfClockSetBack(next)
                    && (next.isExclusive() ? next.token <= greatest : next.token < greatestWriter)) {
                found(
                        "token did not grow",
                        next.granted,
                        "%s, after %d".formatted(next, next.isExclusive() ? greatest : greatestWriter));
            }
        }
    }

    private boolean hasTokenOfClockSetBack(Operation operation) {
        return operation.strategy().equals("row-lock")
                && history.setBack(operation.granted - LONGEST_SET_BACK, operation.granted) > 0;
    }

    private void minimums(List<Operation> granted) {
        Operation last = null;
        for (Operation next : granted) {
            if (last != null
                    && next.granted - last.asked < last.minimum
                    && !(EXPIRE_BY_CLOCK.contains(last.strategy())
                            && history.isSetForward(last.asked - SETS, next.granted))) {
                found(
                        "minimum cut short",
                        next.granted,
                        "%s, %d ms after %s".formatted(next, millis(next.granted - last.asked), last));
            }
            last = next;
        }
    }

    // ---- transactions

    private void overtaken(List<Operation> granted) {
        for (int i = 0; i < granted.size(); i++) {
            Operation one = granted.get(i);
            if (!one.isExclusive() || one.outcome != Kind.COMMITTED || one.wrote == Operation.NEVER) {
                continue;
            }
            for (int j = i + 1; j < granted.size() && granted.get(j).granted < one.wrote; j++) {
                Operation other = granted.get(j);
                if (other.isExclusive()
                        && !other.isOfNothing()
                        && !other.isLostFromTheStart()
                        && !isOfExpired(one, other)) {
                    found("commit of an overtaken holder", one.answered, "%s, overtaken by %s".formatted(one, other));
                    break;
                }
            }
        }
    }

    /** A transaction that began after one of a later holder is refused. */
    private void order(List<Operation> granted) {
        Operation last = null;
        for (Operation next : granted.stream()
                .filter(one -> one.isExclusive() && one.outcome == Kind.COMMITTED && one.token != Operation.NEVER)
                .sorted(Comparator.comparingLong(one -> one.read))
                .toList()) {
            if (last != null && next.token <= last.token && !hasTokenOfClockSetBack(next)) {
                found("commits out of order", next.answered, "%s, after %s".formatted(next, last));
            }
            last = next;
        }
    }

    /** A lock that expired when the clock was set may be handed on. One that was acquired since has a greater token, or a commit. */
    private boolean isOfExpired(Operation one, Operation other) {
        boolean isGreater = one.token != Operation.NEVER && other.token > one.token;
        return mayHaveExpiredEarly(other.strategy(), other.granted) && !isGreater && other.outcome != Kind.COMMITTED;
    }

    private void writes() {
        Map<Long, Operation> written = history.operations().stream()
                .filter(operation -> operation.wrote != Operation.NEVER)
                .collect(Collectors.toMap(operation -> operation.number, operation -> operation, (one, other) -> one));
        Map<List<Object>, Write> values = new HashMap<>();
        Set<Long> committed = new HashSet<>();
        for (Write write : writes) {
            committed.add(write.operation());
            Operation by = written.get(write.operation());
            Write other = values.putIfAbsent(List.of(write.key(), write.value()), write);
            if (other != null) {
                found("lost update", by == null ? 0 : by.wrote, "%s and %s".formatted(write, other));
            }
            if (by != null && by.outcome == Kind.ROLLED_BACK) {
                found("committed though refused", by.answered, by.toString());
            }
        }
        for (Operation operation : written.values()) {
            if (operation.outcome == Kind.COMMITTED && !committed.contains(operation.number)) {
                found("commit is gone", operation.answered, operation.toString());
            }
        }
    }

    private void counters(String key, List<Operation> all) {
        List<Increment> increments = all.stream()
                .filter(operation -> operation.wrote != Operation.NEVER && operation.outcome != Kind.ROLLED_BACK)
                .map(operation -> new Increment(
                        operation.asked, operation.answered, operation.read, operation.outcome == Kind.COMMITTED))
                .toList();
        if (!CounterSearch.isLinearizable(increments, 0)) {
            long last = all.stream()
                    .mapToLong(operation -> operation.answered)
                    .max()
                    .orElse(0);
            found("not linearizable", last, "the counter %s, of %d increments".formatted(key, increments.size()));
        }
    }

    // ---- leaders

    private void reigns() {
        Map<String, List<Event>> byRole = history.reigns().stream().collect(Collectors.groupingBy(Event::key));
        byRole.forEach((role, reigns) -> {
            List<Event> ordered = reigns.stream()
                    .sorted(Comparator.comparingLong(reign -> Long.parseLong(reign.text())))
                    .toList();
            Event last = null;
            for (Event reign : ordered) {
                long since = Long.parseLong(reign.text());
                if (last != null
                        && last.node() != reign.node()
                        && since < last.at()
                        && !mayHaveExpiredEarly("lease", since)) {
                    found("two leaders", since, "%s: nodes %d and %d".formatted(role, last.node(), reign.node()));
                }
                if (last != null && last.at() < since && reign.number() < last.number()) {
                    found("term fell", since, "%s: from %d to %d".formatted(role, last.number(), reign.number()));
                }
                last = last == null || reign.at() > last.at() ? reign : last;
            }
        });
    }

    // ---- waiting

    private void wait(Operation operation) {
        if (operation.wait < 0) {
            return;
        }
        boolean answered = operation.answeredAt() != Operation.NEVER;
        long end = answered ? operation.answeredAt() : history.lastSign(operation.node);
        long most = operation.wait + limits.overtime(operation.strategy()).toNanos();
        if (end - operation.asked <= most) {
            return;
        }
        long took = end - operation.asked - history.paused(operation.node, operation.asked, end + SLACK);
        if (took > most) {
            found(
                    answered ? "waited beyond its deadline" : "hangs",
                    end,
                    "%s: %d ms of %d ms %s".formatted(operation, millis(took), millis(operation.wait), operation.why));
        }
    }

    /** A key that is refused as busy though nothing can have held it while the caller waited, nor for a ttl before. */
    private void stuck(List<Operation> all, List<Operation> granted) {
        long reach = limits.ttl().toNanos() + SLACK;
        for (Operation refused : all) {
            if (!refused.isExclusive()
                    || refused.isGranted()
                    || !refused.why.equals("busy")
                    || refused.wait < SLACK
                    || refused.strategy().equals(IN_TRANSACTION)) {
                continue;
            }
            long longer = EXPIRE_BY_CLOCK.contains(refused.strategy())
                    ? history.setBack(refused.asked - LONGEST_SET_BACK, refused.refused)
                    : 0;
            long from = refused.asked - reach - longer;
            boolean explained = granted.stream()
                            .anyMatch(one -> one.asked < refused.refused && mayHoldUntil(one) + one.minimum > from)
                    || all.stream().anyMatch(one -> one != refused && mayHaveTaken(one, from, refused.refused));
            if (!explained) {
                found("key stays taken", refused.refused, refused.toString());
            }
        }
    }

    private long mayHoldUntil(Operation one) {
        if (one.ended != Operation.NEVER) {
            return one.ended;
        }
        long over = one.answered == Operation.NEVER && one.outcome != Kind.UNKNOWN ? one.refused : one.answered;
        return over == Operation.NEVER ? Math.max(one.until, history.lastSign(one.node)) : over;
    }

    /** A call that failed, or was never answered, may have taken the lock without knowing. */
    private boolean mayHaveTaken(Operation one, long from, long to) {
        long end = one.refused == Operation.NEVER ? history.lastSign(one.node) : one.refused;
        return !one.isGranted() && !one.why.equals("busy") && one.asked < to && end > from;
    }

    /** A lease may have expired, by a clock that was set forward since it was renewed, before its holder expects that. */
    private boolean mayHaveExpiredEarly(String strategy, long at) {
        return EXPIRE_BY_CLOCK.contains(strategy)
                && history.isSetForward(at - limits.ttl().toNanos() - SETS, at);
    }

    private static long millis(long nanos) {
        return Duration.ofNanos(nanos).toMillis();
    }
}
