package io.rowlock.benchmark.workload;

import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.benchmark.contender.RowlockLocks;
import io.rowlock.benchmark.contender.StarterApplication;
import io.rowlock.benchmark.report.Statistics;
import io.rowlock.benchmark.report.Units;
import io.rowlock.interceptor.LockInterceptorConfiguration;
import io.rowlock.store.memory.InMemoryLockStore;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * What an annotation costs on top of the same call of the client, in small blocks that take turns: on the database, and
 * without one, where nothing else takes time.
 */
final class AnnotationOverhead implements Workload {
    private static final String KEY = "annotated";
    private static final String STUB = "-stub";
    private static final LockRequest REQUEST = LockRequest.exclusive(KEY);

    @Override
    public String name() {
        return "annotation";
    }

    @Override
    public void measure(Run run) {
        try (ConfigurableApplicationContext context =
                StarterApplication.onDatabase(run.servers(), 1, OnDatabase.class)) {
            compare(run, context, "", new Rounds(1, 200, 5 * run.settings().rounds()));
        }
        try (var context = new AnnotationConfigApplicationContext(WithoutDatabase.class)) {
            compare(run, context, STUB, new Rounds(5_000, 20, 5 * run.settings().rounds()));
        }
    }

    /**
     * How it is measured. The two kinds take turns block by block; a round's figures are the medians of its blocks.
     *
     * @param calls how many make a block
     * @param pairs how many blocks of each kind make a round
     * @param count how many rounds count
     */
    private record Rounds(int calls, int pairs, int count) {}

    /** The figures of one round, in microseconds a call. */
    private record Cost(double direct, double annotated) {}

    private void compare(Run run, ApplicationContext context, String suffix, Rounds rounds) {
        LockClient client = context.getBean(LockClient.class);
        Guarded guarded = context.getBean(Guarded.class);
        Runnable direct = () -> client.execute(REQUEST, () -> {});
        run.samples().showInOrder(List.of("rowlock-client-call" + suffix, "rowlock-annotation" + suffix));
        int warmUp = Math.max(1, rounds.count() / 5);
        for (int round = -warmUp; round < rounds.count(); round++) {
            Cost cost = cost(rounds, direct, guarded::run);
            if (round >= 0) {
                note(run, suffix, cost);
            }
        }
    }

    private static Cost cost(Rounds rounds, Runnable direct, Runnable annotated) {
        List<Double> directly = new ArrayList<>();
        List<Double> byAnnotation = new ArrayList<>();
        for (int pair = 0; pair < rounds.pairs(); pair++) {
            if (pair % 2 == 0) {
                directly.add(micros(rounds.calls(), direct));
                byAnnotation.add(micros(rounds.calls(), annotated));
            } else {
                byAnnotation.add(micros(rounds.calls(), annotated));
                directly.add(micros(rounds.calls(), direct));
            }
        }
        return new Cost(Statistics.median(directly), Statistics.median(byAnnotation));
    }

    private static double micros(int calls, Runnable call) {
        long begin = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            call.run();
        }
        return (System.nanoTime() - begin) / 1e3 / calls;
    }

    private void note(Run run, String suffix, Cost cost) {
        String byAnnotation = "rowlock-annotation" + suffix;
        double onTop = cost.annotated() - cost.direct();
        run.samples().add(name(), "rowlock-client-call" + suffix, Units.MICROS, cost.direct());
        run.samples().add(name(), byAnnotation, Units.MICROS, cost.annotated());
        run.samples().add(name(), byAnnotation, Units.MICROS_ON_TOP, onTop);
        run.samples().add(name(), byAnnotation, Units.PERCENT_ON_TOP, onTop / cost.direct() * 100);
    }

    /** Has a guarded method with nothing in it. */
    static class Guarded {
        @DistributedLock(KEY)
        public void run() {}
    }

    /** An application as Spring Boot sets it up. */
    @Configuration(proxyBeanMethods = false)
    static class OnDatabase {
        @Bean
        Guarded guarded() {
            return new Guarded();
        }
    }

    /** The annotations on a client that asks no store. */
    @Configuration(proxyBeanMethods = false)
    @Import(LockInterceptorConfiguration.class)
    static class WithoutDatabase {
        @Bean
        LockClient lockClient() {
            return RowlockLocks.client(new InMemoryLockStore());
        }

        @Bean
        Guarded guarded() {
            return new Guarded();
        }
    }
}
