package io.rowlock.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.stress.WithoutLog;
import io.rowlock.test.DatabaseServer;
import io.rowlock.test.TestSchema;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every scenario is played once for each request of its subject and each fault that request can meet. */
@ExtendWith(WithoutLog.class)
abstract class FaultContract {
    private static final int THREADS = Integer.getInteger("rowlock.faults.threads", 24);
    private static final String ONLY = System.getProperty("rowlock.faults.only", "");

    private final AtomicInteger keys = new AtomicInteger();

    @Test
    void noSingleFaultDoesHarm(TestSchema schema, DatabaseServer server) throws Exception {
        ExecutorService crew = Executors.newFixedThreadPool(THREADS);
        long start = System.nanoTime();
        try (Sessions sessions = new Sessions(schema)) {
            Stage.Cast cast = new Stage.Cast(schema, sessions, new Account(sessions.sql));
            List<Scenario> scenarios = Scenarios.all().stream()
                    .filter(scenario -> ONLY.isEmpty() || scenario.id().startsWith(ONLY.split("#")[0]))
                    .toList();
            List<FaultRun.Outcome> clean = new ArrayList<>();
            for (Future<FaultRun.Outcome> each : scenarios.stream().map(s -> crew.submit(() -> clean(s, cast))).toList()) {
                clean.add(each.get());
            }
            clean.forEach(o -> { System.out.println(o.run().scenario() + " " + o.requests().size()); if (!o.violations().isEmpty()|| ONLY.length()>0) System.out.println(o.describe()); for (int i = 0; i < o.requests().size(); i++) if (!ONLY.isEmpty()) System.out.println("   " + (i+1) + " " + o.requests().get(i)); });
            if (Boolean.getBoolean("rowlock.faults.record")) return;
            List<Future<FaultRun.Outcome>> runs = new ArrayList<>();
            for (FaultRun.Outcome o : clean) {
                for (int k = 1; k <= o.requests().size(); k++) {
                    for (Fault fault : Fault.values()) {
                        if (o.met().containsKey(k)) continue;
                        FaultRun run = new FaultRun(o.run().scenario(), Map.of(k, fault));
                        if (o.requests().get(k - 1).kind() == Request.Kind.PREPARE && fault != Fault.ANSWER_LOST && !Boolean.getBoolean("rowlock.faults.complete")) continue;
                        if (ONLY.contains("#") && !run.id().equals(ONLY)) continue;
                        runs.add(crew.submit(() -> { FaultRun.Outcome x = run.play(cast, key()); if (!x.violations().isEmpty()) System.out.println(x.describe()); return x; }));
                    }
                }
            }
            int bad = 0;
            Map<String,Integer> kinds = new java.util.TreeMap<>();
            for (Future<FaultRun.Outcome> each : runs) {
                FaultRun.Outcome o = each.get(300, java.util.concurrent.TimeUnit.SECONDS);
                if (!o.violations().isEmpty()) {
                    bad++;
                    kinds.merge(o.run().scenario().id() + ": " + o.violations().get(0).split(":")[0], 1, Integer::sum);
                } else if (ONLY.contains("#")) System.out.println(o.describe());
            }
            System.out.println(runs.size() + " runs, " + bad + " bad, " + (System.nanoTime() - start) / 1_000_000 + " ms");
            kinds.forEach((k, v) -> System.out.println(v + "  " + k));
            assertThat(bad).isZero();
        } finally {
            crew.shutdown();
        }
    }

    private FaultRun.Outcome clean(Scenario s, Stage.Cast cast) {
        FaultRun.Outcome o = null;
        for (int i = 0; i < 5; i++) {
            o = new FaultRun(s, Map.of()).play(cast, key());
            if (o.violations().isEmpty() && !o.story().contains("Exception")) break;
        }
        return o;
    }

    private String key() {
        return "k" + keys.incrementAndGet();
    }
}
