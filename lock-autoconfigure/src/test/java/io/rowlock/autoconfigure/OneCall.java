package io.rowlock.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.TestApplication;
import java.io.IOException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A warm application that makes one guarded call, in a process of its own. */
final class OneCall {
    private static final int CALLS_UNTIL_WARM = 50;

    private OneCall() {}

    /** @param database url, user and password */
    public static void main(String[] database) throws IOException {
        Job job = TestApplication.withoutDatabase(Beans.class)
                .with("spring.datasource.url", database[0])
                .with("spring.datasource.username", database[1])
                .with("spring.datasource.password", database[2])
                .with("rowlock.strategy", "lease")
                .with("rowlock.log.mode", "async")
                .start()
                .getBean(Job.class);
        for (int i = 0; i < CALLS_UNTIL_WARM; i++) {
            job.run("warm");
        }
        Measured.call(job);
        // What was noted is asked for until this process is ended
        System.in.read();
        Runtime.getRuntime().halt(0);
    }

    /** Loaded when the application is warm. */
    static final class Measured {
        static final String END = "end";

        private Measured() {}

        static void call(Job job) {
            job.run("warm");
            end();
        }

        private static void end() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        Job job() {
            return new Job();
        }
    }

    static class Job {
        @DistributedLock(key = "#id")
        void run(String id) {}
    }
}
