package io.rowlock.recipes.batch;

import io.rowlock.annotation.DistributedLock;
import java.time.LocalDate;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobExecutionException;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.stereotype.Component;

@Component
class Invoicing {
    private final Job invoices;
    private final JobOperator operator;
    private final JobRepository repository;

    Invoicing(Job invoices, JobOperator operator, JobRepository repository) {
        this.invoices = invoices;
        this.operator = operator;
        this.repository = repository;
    }

    @DistributedLock(name = "invoices", key = "#day", waitTime = "0s")
    public JobExecution run(LocalDate day) throws JobExecutionException {
        JobParameters parameters =
                new JobParametersBuilder().addLocalDate("day", day).toJobParameters();
        JobExecution last = repository.getLastJobExecution(invoices.getName(), parameters);
        if (last != null && last.isRunning()) {
            operator.recover(last); // its node has lost the lock, so it has stopped or is refused
        }
        return operator.start(invoices, parameters);
    }
}
