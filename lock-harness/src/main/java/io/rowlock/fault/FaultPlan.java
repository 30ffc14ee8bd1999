package io.rowlock.fault;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which requests of a run meet which fault, and what was asked. Requests are counted from one, in the order in which they
 * were sent, on all connections together. Thread-safe.
 */
final class FaultPlan {
    /** The step in which a request is held up, and two more. */
    private static final int STEPS_LATE = 3;

    private final Map<Integer, Fault> faults;
    private final List<Request> requests = new ArrayList<>();
    private final Map<Integer, Fault> met = new TreeMap<>();
    private final Map<Late, Integer> late = new HashMap<>();
    private final List<Late> last = new ArrayList<>();
    private @Nullable Given given;
    private int steps;
    private boolean over;

    /** A fault that belongs to the scenario: the first request that fits meets it, in every run. */
    record Given(Fault fault, Predicate<Request> fits) {}

    FaultPlan(Map<Integer, Fault> faults) {
        this.faults = faults;
    }

    synchronized void given(Fault fault, Predicate<Request> fits) {
        given = new Given(fault, fits);
    }

    /** The next request. @return what it meets, or null */
    synchronized @Nullable Fault next(Request request) {
        if (over) {
            return null;
        }
        requests.add(request);
        Fault planned = faults.get(requests.size());
        Fault fault = planned != null && request.allFaults().contains(planned) ? planned : null;
        if (given != null && given.fits().test(request)) {
            fault = given.fault();
            given = null;
        }
        if (fault != null) {
            met.put(requests.size(), fault);
        }
        return fault;
    }

    /** Has something that was held up delivered after the next two steps. */
    synchronized void late(Late one) {
        late.put(one, steps + STEPS_LATE);
    }

    /** Has something that was held up delivered when all is over. */
    synchronized void last(Late one) {
        last.add(one);
    }

    void deliverLast() {
        List<Late> due;
        synchronized (this) {
            due = List.copyOf(last);
            last.clear();
        }
        due.forEach(Late::deliver);
    }

    void stepDone() {
        List<Late> due;
        synchronized (this) {
            steps++;
            due = due(steps);
        }
        due.forEach(Late::deliver);
    }

    /** Delivers all that is still held up. @return whether there was something */
    boolean deliverAll() {
        List<Late> due;
        synchronized (this) {
            due = due(Integer.MAX_VALUE);
        }
        due.forEach(Late::deliver);
        return !due.isEmpty();
    }

    private List<Late> due(int now) {
        List<Late> due = new ArrayList<>();
        for (Iterator<Map.Entry<Late, Integer>> all = late.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Late, Integer> each = all.next();
            if (each.getValue() <= now) {
                due.add(each.getKey());
                all.remove();
            }
        }
        return due;
    }

    /** From now on requests are neither counted nor met by faults. */
    synchronized void over() {
        over = true;
    }

    synchronized List<Request> requests() {
        return List.copyOf(requests);
    }

    /** The faults that were met, by request. */
    synchronized Map<Integer, Fault> met() {
        return new TreeMap<>(met);
    }

    synchronized boolean has(Fault fault) {
        return met.containsValue(fault);
    }

    synchronized boolean hasKill() {
        return met.values().stream().anyMatch(Fault::killsSession);
    }
}
