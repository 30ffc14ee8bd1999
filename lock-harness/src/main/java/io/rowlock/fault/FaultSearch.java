package io.rowlock.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Plays scenarios many times, each time with other faults, many of them at once, since they mostly wait.
 */
final class FaultSearch implements AutoCloseable {
    private static final int THREADS = Integer.getInteger("rowlock.test.faults.threads", Pace.MOST);

    /** A busy machine gives answers up that would have come. */
    private static final int MOST_RECORDINGS = 5;

    private static final int MOST_REPEATS = 3;

    /** After so many failures it is not asked any more whether the machine was only slow. */
    private static final int ENOUGH = 20;

    /** The same in every build. */
    private static final long ORDER = 1;

    private final ExecutorService crew = Executors.newFixedThreadPool(THREADS);
    private final Pace pace = new Pace();
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger met = new AtomicInteger();
    private final Theatre theatre;

    FaultSearch(Theatre theatre) {
        this.theatre = theatre;
    }

    private FaultRun.Outcome play(FaultRun run) throws InterruptedException {
        FaultRun.Outcome outcome = pace.keep(() -> run.play(theatre, "k" + runs.incrementAndGet()));
        if (!run.faults().isEmpty()
                && outcome.met().keySet().containsAll(run.faults().keySet())) {
            met.incrementAndGet();
        }
        return outcome;
    }

    /** How many runs have met the faults they were played for: a run that takes another course may ask too little. */
    int met() {
        return met.get();
    }

    /** Plays each scenario without faults, to know its requests. */
    List<FaultRun.Outcome> record(List<Scenario> scenarios) throws InterruptedException {
        return inParallel(scenarios, this::recorded);
    }

    private FaultRun.Outcome recorded(Scenario scenario) throws InterruptedException {
        FaultRun run = new FaultRun(scenario, Map.of());
        FaultRun.Outcome outcome = play(run);
        for (int i = 1; i < MOST_RECORDINGS && isWorthAnother(outcome); i++) {
            outcome = play(run);
        }
        return outcome;
    }

    /** A violation without a fault is one, however seldom it comes. */
    private static boolean isWorthAnother(FaultRun.Outcome outcome) {
        return !outcome.isUndisturbed() && (outcome.violations().isEmpty() || outcome.isOnlySlow());
    }

    /**
     * Every fault at every request that was recorded.
     *
     * @param all whether also those that are not worth a run in every build
     */
    static List<FaultRun> singleFaults(List<FaultRun.Outcome> recorded, boolean all) {
        List<FaultRun> runs = new ArrayList<>();
        for (FaultRun.Outcome outcome : recorded) {
            for (int number = 1; number <= outcome.requests().size(); number++) {
                if (!outcome.met().containsKey(number)) {
                    Request request = outcome.requests().get(number - 1);
                    for (Fault fault : all ? request.allFaults() : request.faults()) {
                        runs.add(new FaultRun(outcome.run().scenario(), Map.of(number, fault)));
                    }
                }
            }
        }
        return runs;
    }

    /** Two faults in one run, at random; the second also after what was recorded, because the first leads elsewhere. */
    static FaultRun pair(List<FaultRun.Outcome> recorded, Random random) {
        FaultRun.Outcome outcome = recorded.get(random.nextInt(recorded.size()));
        int requests = outcome.requests().size();
        int first = 1 + random.nextInt(requests);
        int second = first + 1 + random.nextInt(Math.max(4, requests - first + 4));
        List<Request> known = outcome.requests();
        Map<Integer, Fault> pair = new TreeMap<>();
        pair.put(first, any(known.get(first - 1), random));
        pair.put(second, any(known.get(Math.min(second, requests) - 1), random));
        return new FaultRun(outcome.run().scenario(), pair);
    }

    private static Fault any(Request request, Random random) {
        List<Fault> faults = List.copyOf(request.allFaults());
        return faults.get(random.nextInt(faults.size()));
    }

    /**
     * Plays runs in a mixed order, because some scenarios mostly wait and others mostly work. One that was only too slow is
     * played again when all others are over, alone, for the machine may have been too slow.
     *
     * @return those that failed
     */
    List<FaultRun.Outcome> play(List<FaultRun> all) throws InterruptedException {
        List<FaultRun> mixed = new ArrayList<>(all);
        Collections.shuffle(mixed, new Random(ORDER));
        List<FaultRun.Outcome> doubtful = inParallel(mixed, this::play).stream()
                .filter(outcome -> !outcome.violations().isEmpty())
                .toList();
        List<FaultRun.Outcome> failed = new ArrayList<>();
        for (FaultRun.Outcome outcome : doubtful) {
            FaultRun.Outcome last = outcome;
            for (int i = 0; i < MOST_REPEATS && last.isOnlySlow() && failed.size() < ENOUGH; i++) {
                last = play(last.run());
            }
            if (!last.violations().isEmpty()) {
                failed.add(last);
                System.out.println(last.describe());
            }
        }
        return failed;
    }

    /** Pairs of faults until time is over. @return how many runs, and those that failed */
    Pairs pairs(List<FaultRun.Outcome> recorded, Duration time, long seed) throws InterruptedException {
        Random random = new Random(seed);
        long end = System.nanoTime() + time.toNanos();
        int played = 0;
        List<FaultRun.Outcome> failed = new ArrayList<>();
        while (end - System.nanoTime() > 0) {
            List<FaultRun> some = new ArrayList<>();
            for (int i = 0; i < THREADS * 10; i++) {
                some.add(pair(recorded, random));
            }
            failed.addAll(play(some));
            played += some.size();
        }
        return new Pairs(played, failed);
    }

    /** What came of pairs. */
    record Pairs(int played, List<FaultRun.Outcome> failed) {}

    private interface Work<A, B> {
        B of(A each) throws InterruptedException;
    }

    private <A, B> List<B> inParallel(List<A> all, Work<A, B> work) throws InterruptedException {
        List<Future<B>> futures =
                all.stream().map(each -> crew.submit(() -> work.of(each))).toList();
        List<B> results = new ArrayList<>();
        for (Future<B> each : futures) {
            try {
                results.add(each.get());
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
        return results;
    }

    @Override
    public void close() throws InterruptedException {
        crew.shutdownNow();
        boolean unused = crew.awaitTermination(20, TimeUnit.SECONDS);
        theatre.close();
    }
}
