package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.actuate.RowlockHealthIndicator;
import io.rowlock.client.RowlockClient;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health contributor {@code rowlock}. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(RowlockClient.class)
@ConditionalOnEnabledHealthIndicator("rowlock")
public final class RowlockHealthAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(name = {"rowlockHealthIndicator", "rowlockHealthContributor"})
    HealthIndicator rowlockHealthIndicator(RowlockClient client) {
        return new RowlockHealthIndicator(client.admin());
    }
}
