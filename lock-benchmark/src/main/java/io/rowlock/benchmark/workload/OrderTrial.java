package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.process.HeldTime;
import io.rowlock.benchmark.process.Nodes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One process holds a key, the others ask for it one after another; do they get it in that order? */
final class OrderTrial {
    static final int TRIALS = 12;
    private static final long APART = TimeUnit.MILLISECONDS.toNanos(60);
    private static final long BODY = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long START = TimeUnit.MILLISECONDS.toNanos(20);

    private OrderTrial() {}

    static int inOrder(Nodes nodes, String key) throws InterruptedException {
        int inOrder = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            List<Integer> asking = asking(nodes.size(), trial);
            if (granted(nodes, key, asking).equals(asking)) {
                inOrder++;
            }
        }
        return inOrder;
    }

    /** Another holder each time, and another order of the rest. */
    static List<Integer> asking(int processes, int trial) {
        List<Integer> order = new ArrayList<>();
        int step = trial / processes % 2 == 0 ? 1 : processes - 1;
        for (int i = 0; i < processes; i++) {
            order.add((trial + i * step) % processes);
        }
        return order;
    }

    private static List<Integer> granted(Nodes nodes, String key, List<Integer> asking) throws InterruptedException {
        long start = System.nanoTime() + START;
        for (int i = 0; i < asking.size(); i++) {
            long body = i == 0 ? APART * asking.size() : BODY;
            nodes.get(asking.get(i)).send("once", key, start + i * APART, body);
        }
        List<List<HeldTime>> times = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            times.add(HeldTime.parse(nodes.get(i).answer()));
        }
        return Handoffs.of(times).processes();
    }
}
