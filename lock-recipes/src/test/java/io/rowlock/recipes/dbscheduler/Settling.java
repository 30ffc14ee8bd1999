package io.rowlock.recipes.dbscheduler;

import com.github.kagkarlsson.scheduler.task.FailureHandler.OnFailureRetryLater;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import io.rowlock.annotation.DistributedLock;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@Configuration(proxyBeanMethods = false)
class Settling {
    @Bean
    OneTimeTask<Void> settle(Accounts accounts) {
        return Tasks.oneTime("settle")
                .onFailure(new OnFailureRetryLater<>(Duration.ofSeconds(5))) // also if the lock is busy or lost
                .execute((task, context) -> accounts.settle(task.getId()));
    }
}

@Component
class Accounts {
    private final JdbcTemplate jdbc;

    Accounts(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @DistributedLock(name = "account", key = "#account", waitTime = "1s")
    @Transactional
    public void settle(String account) {
        jdbc.update("INSERT INTO settled VALUES (?)", account);
    }
}
