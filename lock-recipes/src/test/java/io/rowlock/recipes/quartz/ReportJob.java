package io.rowlock.recipes.quartz;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.OnBusy;
import java.time.Instant;
import org.quartz.JobExecutionContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.quartz.QuartzJobBean;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

class ReportJob extends QuartzJobBean { // made by Quartz: no proxy guards it
    private final Reports reports;

    ReportJob(Reports reports) {
        this.reports = reports;
    }

    @Override
    protected void executeInternal(JobExecutionContext context) {
        reports.create(context.getScheduledFireTime().toInstant());
    }
}

@Component
class Reports {
    private final JdbcTemplate jdbc;

    Reports(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @DistributedLock(name = "report", key = "#firing", waitTime = "0s", onBusy = OnBusy.SKIP, holdAtLeast = "1m")
    @Transactional
    public void create(Instant firing) {
        jdbc.update("INSERT INTO report VALUES (?)", firing.toString());
    }
}
