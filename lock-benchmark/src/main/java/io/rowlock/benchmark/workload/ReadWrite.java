package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Ability;
import io.rowlock.benchmark.contender.Contender;
import io.rowlock.benchmark.contender.Locks;
import io.rowlock.benchmark.contender.Worker;
import io.rowlock.benchmark.report.Statistics;
import io.rowlock.benchmark.report.Units;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Threads of one process read one key, and write it now and then. */
final class ReadWrite implements Workload {
    private static final int THREADS = 16;
    private static final int WRITES_PERCENT = 5;
    private static final int LONGER = 2;

    @Override
    public String name() {
        return "readwrite";
    }

    @Override
    public void measure(Run run) {
        List<Contender> contenders = Run.withoutVariants(run.contendersInProcess(Ability.WAITING, Ability.SHARED));
        run.rounds(name(), contenders, run.settings().rounds(), (contender, counts) -> {
            Queue<Wait> writers = new ConcurrentLinkedQueue<>();
            Load load = load(run, contender, counts, writers);
            if (counts) {
                run.samples().add(name(), contender.name(), Units.OPERATIONS, load.pairsPerSecond());
                run.samples().add(name(), contender.name(), Units.WRITER_WAIT, median(writers, load));
            }
        });
    }

    private static Load load(Run run, Contender contender, boolean counts, Queue<Wait> writers) throws Exception {
        try (Locks locks = contender.open(run.servers(), THREADS)) {
            return Load.measure(
                    THREADS,
                    run.settings().turn(LONGER, counts),
                    run.meter(),
                    thread -> new ReadWriteLoop(
                            locks.worker(), contender.name() + ":shared", new Random(thread), writers));
        }
    }

    private static double median(Queue<Wait> writers, Load load) {
        return Statistics.median(writers.stream()
                .filter(wait -> wait.asked() - load.began() >= 0 && wait.asked() - load.ended() <= 0)
                .map(wait -> (wait.granted() - wait.asked()) / 1e3)
                .toList());
    }

    /** How long a writer waited. */
    private record Wait(long asked, long granted) {}

    private record ReadWriteLoop(Worker worker, String key, Random random, Queue<Wait> writers) implements Load.Loop {
        @Override
        public void once() throws Exception {
            if (random.nextInt(100) < WRITES_PERCENT) {
                long asked = System.nanoTime();
                worker.lockAgainstReaders(key);
                writers.add(new Wait(asked, System.nanoTime()));
            } else {
                worker.lockShared(key);
            }
            TimeUnit.MILLISECONDS.sleep(1);
            worker.unlock();
        }

        @Override
        public void close() throws Exception {
            worker.close();
        }
    }
}
