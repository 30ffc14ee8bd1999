package io.rowlock.verification.history;

import io.rowlock.verification.history.Event.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What listeners of the nodes and the lock log tell, and whether it is what happened. Listeners hear of grants and releases on the thread
 * that has them, so before its call returns, and of losses a moment later.
 */
final class Reports {
    /** By then a listener has heard of a loss. */
    private static final long HEARD = Duration.ofSeconds(2).toNanos();

    private record Grant(int node, String key, long token) {}

    private record Holder(int node, String key) {}

    private static final class Count {
        int acquired;
        int released;
        int logged;
        int loggedAsReleased;
    }

    private final Map<Grant, Count> grants = new HashMap<>();
    private final Map<Holder, List<Long>> losses = new HashMap<>();
    private final Set<Integer> listening = new HashSet<>();
    /** By node that ended in peace. */
    private final Map<Integer, Long> notLogged = new TreeMap<>();

    void add(Event event) {
        if (event.kind() == Kind.LOGGED) {
            notLogged.put(event.node(), event.number());
            return;
        }
        listening.add(event.node());
        switch (event.text()) {
            case "ACQUIRED" -> count(event).acquired++;
            case "RELEASED" -> count(event).released++;
            case "LOST" ->
                losses.computeIfAbsent(new Holder(event.node(), event.key()), holder -> new ArrayList<>())
                        .add(event.at());
            default -> throw new IllegalArgumentException(event.toString());
        }
    }

    private Count count(Event event) {
        return grants.computeIfAbsent(new Grant(event.node(), event.key(), event.number()), grant -> new Count());
    }

    /** Returns true if a process has lost a key between two times, as far as its listeners heard. */
    boolean isLost(int node, String key, long from, long to) {
        return losses.getOrDefault(new Holder(node, key), List.of()).stream().anyMatch(at -> at >= from && at <= to);
    }

    // ---- events

    List<Violation> judgeEvents(History history) {
        List<Violation> found = new ArrayList<>();
        for (Operation operation : history.operations()) {
            if (!listening.contains(operation.node)) {
                continue;
            }
            boolean isHeard = operation.acquired != Operation.NEVER;
            if (operation.began != Operation.NEVER && !isHeard) {
                found.add(new Violation("grant without an event", operation.began, operation.toString()));
            }
            // A call that had a key and failed at the next gives it back
            if (isHeard && operation.why.equals("busy") && history.isForOneKey(operation)) {
                found.add(new Violation("event without a grant", operation.acquired, operation.toString()));
            }
            if (isHeard && operation.hasOtherToken()) {
                found.add(new Violation("event with another token", operation.acquired, operation.toString()));
            }
            if (operation.lossSeen != Operation.NEVER && isUnheard(operation, history)) {
                found.add(new Violation("loss without an event", operation.lossSeen, operation.toString()));
            }
        }
        grants.forEach((grant, count) -> {
            if (count.released > count.acquired) {
                found.add(new Violation("release without a grant", history.lastSign(grant.node()), grant.toString()));
            }
        });
        return found;
    }

    private boolean isUnheard(Operation operation, History history) {
        long seen = operation.lossSeen;
        long end = seen + HEARD + history.paused(operation.node, seen, seen + HEARD);
        return history.lastSign(operation.node) > end && !isLost(operation.node, operation.key, operation.asked, end);
    }

    // ---- the log

    /**
     * Compares the log with the grants. Of a node that ended in peace it may lack what that node says it has not written; of any other node
     * it may lack whatever it had in memory.
     */
    List<Violation> judgeLog(History history, List<LogRow> rows) {
        List<Violation> found = new ArrayList<>();
        for (LogRow row : rows) {
            Count count = grants.get(new Grant(row.node(), row.key(), row.token()));
            if (count != null) {
                count.logged++;
                count.loggedAsReleased += row.isReleased() ? 1 : 0;
            } else if (notLogged.containsKey(row.node())) {
                found.add(new Violation("log of no grant", history.lastSign(row.node()), row.toString()));
            }
        }
        notLogged.forEach((node, most) -> {
            long missing = 0;
            long outdated = 0;
            for (Map.Entry<Grant, Count> each : grants.entrySet()) {
                Count count = each.getValue();
                if (each.getKey().node() == node) {
                    missing += Math.max(0, count.acquired - count.logged);
                    outdated += Math.max(0, Math.min(count.released, count.logged) - count.loggedAsReleased);
                }
            }
            if (missing + outdated > most) {
                found.add(new Violation(
                        "log is not complete",
                        history.lastSign(node),
                        "node %d: %d rows are missing and %d are not released, of which it knows %d"
                                .formatted(node, missing, outdated, most)));
            }
        });
        return found;
    }
}
