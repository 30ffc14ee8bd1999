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
import java.util.concurrent.locks.LockSupport;

/** The faults of a run, one after the other, as a seed says: each kind comes before any comes again. */
public final class Schedule {
    private final Random random;
    private final Duration ttl;
    private final boolean withRedis;
    private final Map<Fault, Integer> happened = new EnumMap<>(Fault.class);

    public Schedule(long seed, Duration ttl, boolean withRedis) {
        this.random = new Random(seed);
        this.ttl = ttl;
        this.withRedis = withRedis;
    }

    /** Lets faults happen until that time; each has ended then. */
    public void play(Scene scene, long end) {
        List<Fault> left = new ArrayList<>();
        while (System.nanoTime() - end < 0) {
            if (left.isEmpty()) {
                for (Fault fault : Fault.values()) {
                    if (withRedis || !fault.needsRedis()) {
                        left.add(fault);
                    }
                }
                Collections.shuffle(left, random);
            }
            Fault fault = left.remove(left.size() - 1);
            // its draws must not depend on how far others came
            Random own = new Random(random.nextLong());
            long nanos = Fault.duration(own, ttl);
            try {
                fault.happen(scene, own, nanos);
                happened.merge(fault, 1, Integer::sum);
            } catch (IOException | SQLException e) {
                System.out.println(fault + " did not happen: " + e.getMessage());
            }
            LockSupport.parkNanos(Duration.ofMillis(200 + own.nextInt(1_300)).toNanos());
        }
    }

    /** @return how often each kind has happened */
    public Map<Fault, Integer> happened() {
        return happened;
    }
}
