package io.rowlock.recipes.quartz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.recipes.Application;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.quartz.CronScheduleBuilder;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.Scheduler;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Two schedulers that know nothing of each other, each of which fires every second. */
@OnServer(ServerFlavor.MYSQL)
class QuartzRecipeTests {
    @Test
    void eachFiringIsReportedOnce(DatabaseServer server) throws Exception {
        try (TestSchema schema = server.createSchema()) {
            JdbcTemplate jdbc = new JdbcTemplate(schema.dataSource());
            jdbc.execute("CREATE TABLE report (firing VARCHAR(40))");
            try (ConfigurableApplicationContext one = node(schema);
                    ConfigurableApplicationContext two = node(schema)) {
                await().atMost(Duration.ofMinutes(1)).until(() -> executed(one) >= 3 && executed(two) >= 3);
            }
            List<String> firings = jdbc.queryForList("SELECT firing FROM report", String.class);
            assertThat(firings).hasSizeGreaterThanOrEqualTo(3);
            assertThat(new HashSet<>(firings)).hasSameSizeAs(firings);
        }
    }

    private static ConfigurableApplicationContext node(TestSchema schema) {
        return new Application(schema, Jobs.class, Reports.class)
                .using("org.springframework.boot.quartz.")
                .start();
    }

    private static int executed(ConfigurableApplicationContext node) throws Exception {
        return node.getBean(Scheduler.class).getMetaData().getNumberOfJobsExecuted();
    }

    @Configuration(proxyBeanMethods = false)
    static class Jobs {
        @Bean
        JobDetail report() {
            return JobBuilder.newJob(ReportJob.class).storeDurably().build();
        }

        @Bean
        Trigger everySecond(JobDetail report) {
            return TriggerBuilder.newTrigger()
                    .forJob(report)
                    .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
                    .build();
        }
    }
}
