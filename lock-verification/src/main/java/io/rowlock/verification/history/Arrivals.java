package io.rowlock.verification.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compares the order in which exclusive calls for a key came with that in which they had it. Within a process that is one order. Across
 * processes it is that in which their first waiters queue, so there it is only counted.
 */
final class Arrivals {
    /** A call that came so much earlier was in the queue before the other one, however busy the machine is. */
    static final long EARLIER = Duration.ofMillis(500).toNanos();

    /** By then a process knows of a loss. */
    private static final long KNOWN = Duration.ofSeconds(1).toNanos();

    /**
     * Calls that waited while another process called for their key.
     *
     * @param calls how many
     * @param overtaken how many of them saw a later call of another process served first
     */
    record Overtaken(long calls, long overtaken) {}

    private final History history;

    Arrivals(History history) {
        this.history = history;
    }

    /**
     * Looks for calls that were served before an earlier one of their process. A thread whose lease is lost before it wakes up queues anew, and
     * so does an attempt of a transaction that is repeated; a call for several keys queues for one after the other.
     */
    List<Violation> find() {
        List<Violation> found = new ArrayList<>();
        for (List<Operation> calls : waiting().values()) {
            for (int i = 0; i < calls.size(); i++) {
                Operation first = calls.get(i);
                later(calls, i)
                        .filter(other -> !first.strategy().equals("transaction")
                                && !isDisturbed(first, other)
                                && history.isForOneKey(first))
                        .ifPresent(other -> found.add(new Violation(
                                "served out of order",
                                other.granted,
                                "%s, which came %d ms after %s, which waited %d ms more"
                                        .formatted(
                                                other,
                                                millis(other.asked - first.asked),
                                                first,
                                                millis(end(first) - other.granted)))));
            }
        }
        return found;
    }

    private Optional<Operation> later(List<Operation> calls, int i) {
        Operation first = calls.get(i);
        for (int j = i + 1; j < calls.size() && calls.get(j).asked < end(first); j++) {
            Operation other = calls.get(j);
            if (other.node == first.node && isOvertaking(other, first)) {
                return Optional.of(other);
            }
        }
        return Optional.empty();
    }

    private boolean isOvertaking(Operation other, Operation first) {
        return other.isGranted()
                && other.asked - first.asked > EARLIER + history.paused(first.node, first.asked, other.asked)
                && end(first) - other.granted > EARLIER + history.paused(first.node, other.granted, end(first));
    }

    private boolean isDisturbed(Operation first, Operation other) {
        return history.reports().isLost(first.node, first.key, first.asked, other.granted + KNOWN);
    }

    Overtaken acrossNodes() {
        long all = 0;
        long overtaken = 0;
        for (List<Operation> calls : waiting().values()) {
            for (int i = 0; i < calls.size(); i++) {
                Operation first = calls.get(i);
                boolean isCompared = false;
                boolean isOvertaken = false;
                for (int j = i + 1; !isOvertaken && j < calls.size() && calls.get(j).asked < end(first); j++) {
                    Operation other = calls.get(j);
                    isCompared |= other.node != first.node && other.isGranted() && other.asked - first.asked > EARLIER;
                    isOvertaken = other.node != first.node && isOvertaking(other, first);
                }
                all += isCompared ? 1 : 0;
                overtaken += isOvertaken ? 1 : 0;
            }
        }
        return new Overtaken(all, overtaken);
    }

    /** Exclusive calls that wait for a while, by key. */
    private Map<String, List<Operation>> waiting() {
        Map<String, List<Operation>> calls = history.byKey();
        calls.replaceAll((key, all) -> all.stream()
                .filter(call -> call.isExclusive() && call.wait > EARLIER)
                .sorted(Comparator.comparingLong(call -> call.asked))
                .toList());
        return calls;
    }

    private long end(Operation call) {
        return call.answeredAt() == Operation.NEVER ? history.lastSign(call.node) : call.answeredAt();
    }

    private static long millis(long nanos) {
        return Duration.ofNanos(nanos).toMillis();
    }
}
