package io.rowlock.sample.race;

import io.rowlock.sample.stage.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The race of one strategy.
 *
 * @param nodes the number of nodes that raced
 * @param turns the number of times that the lock was acquired and released
 * @param perSecond the same in a second
 * @param handoffMillis the time from when one node began to release the lock to when another one had it; the median
 * @param handoffs the number of times that it went from one node to another
 * @param overlaps the number of times that two held it at once; a lock allows none
 * @param sql the statements that one node sent to the database for one of these times, in order
 */
record RaceResult(
        String strategy,
        int nodes,
        int turns,
        double perSecond,
        double handoffMillis,
        int handoffs,
        int overlaps,
        List<String> sql) {

    /** @param turns those of each node, in their order */
    static RaceResult of(String strategy, List<List<Span>> turns, List<String> sql) {
        List<Turn> all = new ArrayList<>();
        for (int node = 0; node < turns.size(); node++) {
            for (Span span : turns.get(node)) {
                all.add(new Turn(node, span));
            }
        }
        all.sort(Comparator.comparingLong(turn -> turn.span().start()));
        List<Long> handoffs = new ArrayList<>();
        int overlaps = 0;
        for (int i = 1; i < all.size(); i++) {
            Turn before = all.get(i - 1);
            Turn after = all.get(i);
            overlaps += after.span().start() < before.span().end() ? 1 : 0;
            if (before.node() != after.node()) {
                handoffs.add(after.span().start() - before.span().end());
            }
        }
        handoffs.sort(Comparator.naturalOrder());
        return new RaceResult(
                strategy,
                turns.size(),
                all.size(),
                perSecond(all),
                median(handoffs) / 1000.0,
                handoffs.size(),
                overlaps,
                sql);
    }

    private static double perSecond(List<Turn> turns) {
        if (turns.isEmpty()) {
            return 0;
        }
        long micros =
                turns.get(turns.size() - 1).span().end() - turns.get(0).span().start();
        return turns.size() * 1e6 / Math.max(1, micros);
    }

    private static long median(List<Long> sorted) {
        return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
    }

    private record Turn(int node, Span span) {}
}
