package io.rowlock.autoconfigure.actuate;

import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.client.RowlockClient;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration of the actuator endpoints {@code rowlock} and {@code rowlockhistory}, and of the health contributor. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnSwitch("rowlock.enabled")
@ConditionalOnBean(RowlockClient.class)
public final class RowlockActuatorAutoConfiguration {
    /** The endpoints. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    @RegisterReflectionForBinding({
        EndpointBodies.History.class,
        EndpointBodies.Locks.class,
        EndpointBodies.OneKey.class,
        EndpointBodies.Problem.class
    })
    static class Endpoints {
        @Bean
        @ConditionalOnAvailableEndpoint
        RowlockHistoryEndpoint rowlockHistoryEndpoint(RowlockClient client) {
            return new RowlockHistoryEndpoint(client.admin());
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        RowlockEndpoint rowlockEndpoint(RowlockClient client) {
            return new RowlockEndpoint(client.admin());
        }
    }

    /** Health. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator("rowlock")
    static class Health {
        @Bean
        @ConditionalOnMissingBean(name = {"rowlockHealthIndicator", "rowlockHealthContributor"})
        HealthIndicator rowlockHealthIndicator(RowlockClient client) {
            return new RowlockHealthIndicator(client.admin());
        }
    }
}
