package io.rowlock.benchmark.workload;

import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.benchmark.contender.RowlockLocks;
import io.rowlock.benchmark.report.Statistics;
import io.rowlock.benchmark.report.Units;
import io.rowlock.benchmark.server.Servers;
import io.rowlock.interceptor.EnableDistributedLocks;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

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
        try (ConfigurableApplicationContext context = application(run.servers())) {
            compare(run, context, "", new Blocks(10, 60 * run.settings().rounds()));
        }
        try (var context = new AnnotationConfigApplicationContext(WithoutDatabase.class)) {
            compare(run, context, STUB, new Blocks(20_000, 6 * run.settings().rounds()));
        }
    }

    /** How many calls make a block, and how many blocks of each kind there are. */
    private record Blocks(int calls, int count) {}

    private static ConfigurableApplicationContext application(Servers servers) {
        return new SpringApplicationBuilder(OnDatabase.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.main.log-startup-info=false",
                        "spring.datasource.url=" + servers.jdbcUrl(),
                        "spring.datasource.username=" + servers.username(),
                        "spring.datasource.password=" + servers.password(),
                        "rowlock.schema.initialize=never",
                        "rowlock.log.mode=off")
                .run();
    }

    private void compare(Run run, ApplicationContext context, String suffix, Blocks blocks) {
        LockClient client = context.getBean(LockClient.class);
        Guarded guarded = context.getBean(Guarded.class);
        Runnable byClient = () -> client.execute(REQUEST, () -> {});
        List<Double> direct = new ArrayList<>();
        List<Double> annotated = new ArrayList<>();
        List<Double> onTop = new ArrayList<>();
        for (int block = -blocks.count() / 5; block < blocks.count(); block++) {
            boolean clientFirst = block % 2 == 0;
            double first = micros(blocks.calls(), clientFirst ? byClient : guarded::run);
            double second = micros(blocks.calls(), clientFirst ? guarded::run : byClient);
            if (block >= 0) {
                direct.add(clientFirst ? first : second);
                annotated.add(clientFirst ? second : first);
                onTop.add(clientFirst ? second - first : first - second);
            }
        }
        note(run, suffix, direct, annotated, onTop);
    }

    private static double micros(int calls, Runnable call) {
        long begin = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            call.run();
        }
        return (System.nanoTime() - begin) / 1e3 / calls;
    }

    private void note(Run run, String suffix, List<Double> direct, List<Double> annotated, List<Double> onTop) {
        String byAnnotation = "rowlock-annotation" + suffix;
        direct.forEach(micros -> run.samples().add(name(), "rowlock-client-call" + suffix, Units.MICROS, micros));
        annotated.forEach(micros -> run.samples().add(name(), byAnnotation, Units.MICROS, micros));
        onTop.forEach(micros -> run.samples().add(name(), byAnnotation, Units.MICROS_ON_TOP, micros));
        double percent = (Statistics.medianRatio(annotated, direct) - 1) * 100;
        run.samples().add(name(), byAnnotation, Units.PERCENT_ON_TOP, percent);
    }

    /** Has a guarded method with nothing in it. */
    static class Guarded {
        @DistributedLock(KEY)
        public void run() {}
    }

    /** An application as Spring Boot sets it up. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class OnDatabase {
        @Bean
        Guarded guarded() {
            return new Guarded();
        }
    }

    /** The annotations on a client that asks nobody. */
    @Configuration(proxyBeanMethods = false)
    @EnableDistributedLocks
    static class WithoutDatabase {
        @Bean
        LockClient lockClient() {
            return RowlockLocks.client(new StubStore());
        }

        @Bean
        Guarded guarded() {
            return new Guarded();
        }
    }
}
