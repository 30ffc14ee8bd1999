package io.rowlock.benchmark.workload;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.benchmark.contender.RowlockLocks;
import io.rowlock.benchmark.server.Pools;
import io.rowlock.benchmark.server.Servers;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.LockStore;
import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Main class: uses many keys once each, looks at the heap before and after, and prints what is left a key. */
final class MemoryProbe {
    static final String RETAINED = "retained";
    static final String HELD = "held";

    private static final int MANY = 1_000_000;
    private static final int ON_DATABASE = 20_000;
    private static final int HOLDING = 10_000;
    private static final int WARM_UP = 20_000;
    private static final int THREADS = 8;

    private MemoryProbe() {}

    public static void main(String[] arguments) throws Exception {
        LockStore store = new InMemoryLockStore();
        try (RowlockClient other = RowlockLocks.client(store)) {
            useOnce(other, "once", MANY); // the store keeps the last token of each key, which is not the client's
        }
        try (RowlockClient client = RowlockLocks.client(store)) {
            print(RETAINED, "rowlock-client-stub", retained(client, WARM_UP, MANY));
            print(HELD, "rowlock-client-stub", held(client));
        }
        try (var pool = Pools.open(Servers.ofEnvironment(), THREADS);
                RowlockClient client = RowlockLocks.client(RowlockLocks.leases(pool))) {
            print(RETAINED, "rowlock-lease", retained(client, 1_000, ON_DATABASE));
        }
        System.exit(0);
    }

    private static void print(String what, String contender, double value) {
        System.out.println(what + " " + contender + " " + value);
    }

    private static double retained(LockClient client, int warmUp, int keys) throws Exception {
        useOnce(client, "warm-up", warmUp);
        long before = usedHeap();
        useOnce(client, "once", keys);
        return (double) (usedHeap() - before) / keys;
    }

    private static void useOnce(LockClient client, String name, int keys) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> parts = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int first = thread;
            parts.add(threads.submit(() -> {
                for (int i = first; i < keys; i += THREADS) {
                    client.acquire(LockRequest.exclusive(name + ":" + i)).close();
                }
            }));
        }
        for (Future<?> part : parts) {
            part.get();
        }
        threads.shutdown();
    }

    private static double held(LockClient client) throws InterruptedException {
        List<HeldLock> locks = new ArrayList<>(HOLDING);
        long before = usedHeap();
        for (int i = 0; i < HOLDING; i++) {
            locks.add(client.acquire(LockRequest.exclusive("held:" + i)));
        }
        double each = (double) (usedHeap() - before) / HOLDING;
        locks.forEach(HeldLock::close);
        return each;
    }

    /** After several collections, with time between them for what finalizers and references let go. */
    private static long usedHeap() throws InterruptedException {
        for (int i = 0; i < 4; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(100);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
