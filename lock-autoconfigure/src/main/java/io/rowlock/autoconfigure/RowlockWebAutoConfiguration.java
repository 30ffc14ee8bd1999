package io.rowlock.autoconfigure;

import io.rowlock.LockClient;
import io.rowlock.autoconfigure.web.BusyLockAdvice;
import io.rowlock.autoconfigure.web.OnBusyStatusCondition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.web.servlet.DispatcherServlet;

/** Auto-configuration of what a client of Spring MVC gets when a lock is busy. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBean(LockClient.class)
@Conditional(OnBusyStatusCondition.class)
@EnableConfigurationProperties(RowlockProperties.class)
public final class RowlockWebAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    BusyLockAdvice rowlockBusyLockAdvice(RowlockProperties properties) {
        return new BusyLockAdvice(properties.web().busyStatus());
    }
}
