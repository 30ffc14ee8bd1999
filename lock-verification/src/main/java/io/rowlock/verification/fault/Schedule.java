package io.rowlock.verification.fault;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The faults of a run, one after the other, as a seed says: each kind comes before any comes again. */
public final class Schedule {
    private static final int LEAST_PAUSE_MILLIS = 200;

    private final Random random;
    private final Duration ttl;
    private final List<Fault> kinds;
    private final Duration pause;
    private final List<Fault> left = new ArrayList<>();
    private final Map<Fault, Integer> happened = new EnumMap<>(Fault.class);

    /** @param pause the longest between two faults */
    public Schedule(long seed, Duration ttl, List<Fault> kinds, Duration pause) {
        this.random = new Random(seed);
        this.ttl = ttl;
        this.kinds = kinds;
        this.pause = pause;
    }

    /** Lets faults happen until that time; each has ended then. */
    public void play(Scene scene, long end) {
        if (kinds.isEmpty()) {
            Fault.last(end - System.nanoTime());
        }
        while (System.nanoTime() - end < 0) {
            if (left.isEmpty()) {
                left.addAll(kinds);
                Collections.shuffle(left, random);
            }
            Fault fault = left.remove(left.size() - 1);
            // its draws must not depend on how far others came
            Random own = new Random(random.nextLong());
            try {
                fault.happen(scene, own, duration(own));
                happened.merge(fault, 1, Integer::sum);
            } catch (IOException | SQLException e) {
                System.out.println(fault + " did not happen: " + e.getMessage());
            }
            int millis = LEAST_PAUSE_MILLIS + own.nextInt((int) pause.toMillis());
            Fault.last(Math.min(Duration.ofMillis(millis).toNanos(), end - System.nanoTime()));
        }
    }

    /** @return a time from a tenth of a second to twice a ttl, most of them short */
    private long duration(Random own) {
        double share = own.nextDouble();
        return 100_000_000L + (long) (share * share * 2 * ttl.toNanos());
    }

    /** @return how often each kind has happened */
    public Map<Fault, Integer> happened() {
        return happened;
    }
}
