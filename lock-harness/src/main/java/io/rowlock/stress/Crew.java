package io.rowlock.stress;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Threads that do the same again and again until time is up or a rule is broken, each with dice of its own. */
final class Crew {
    private static final Duration LONGER = Duration.ofMinutes(1);
    private static final int LEAST_GRANTS = 20;

    private final long seed;
    private final Oracle oracle;
    private final List<String> modes;
    private final List<String> once;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean working = true;

    /**
     * @param modes the grants of which there must be some to judge
     * @param once what must have happened
     */
    Crew(long seed, Oracle oracle, List<String> modes, String... once) {
        this.seed = seed;
        this.modes = modes;
        this.once = List.of(once);
        this.oracle = oracle;
    }

    void hire(String name, Consumer<Dice> work) {
        hireOne(name, dice -> () -> work.accept(dice));
    }

    void hireOne(String name, Function<Dice, Runnable> work) {
        Runnable todo = work.apply(new Dice(seed + threads.size()));
        Thread thread = new Thread(() -> work(todo), "stress-" + name);
        thread.setDaemon(true);
        threads.add(thread);
    }

    private void work(Runnable work) {
        while (working) {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                oracle.violation("unexpected", Thread.currentThread().getName() + ": " + e);
                e.printStackTrace();
                return;
            }
        }
    }

    private boolean isThin() {
        return modes.stream().anyMatch(mode -> oracle.counted(mode) < LEAST_GRANTS)
                || once.stream().anyMatch(what -> oracle.counted(what) == 0);
    }

    /** Works for that time, and on a slow machine until there is something to judge. */
    void work(Duration time) throws InterruptedException {
        threads.forEach(Thread::start);
        long end = System.nanoTime() + time.toNanos();
        long patience = end + LONGER.toNanos();
        while (oracle.violations().isEmpty()
                && (end - System.nanoTime() > 0 || (isThin() && patience - System.nanoTime() > 0))) {
            Thread.sleep(100); // between two looks at the oracle, while the threads work
        }
        working = false;
        for (Thread thread : threads) {
            thread.join(20_000);
            if (thread.isAlive()) {
                oracle.violation("hanging", thread.getName() + " did not end");
            }
        }
    }
}
