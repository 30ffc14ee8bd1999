package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.actuate.EndpointBodies;
import io.rowlock.autoconfigure.actuate.RowlockEndpoint;
import io.rowlock.autoconfigure.actuate.RowlockHistoryEndpoint;
import io.rowlock.autoconfigure.datasource.LockDataSource;
import io.rowlock.autoconfigure.datasource.LockPools;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.jdbc.session.LockDatabase;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;

/** Auto-configuration of the actuator endpoints {@code rowlock} and {@code rowlockhistory}. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(RowlockClient.class)
@RegisterReflectionForBinding({
    EndpointBodies.History.class,
    EndpointBodies.Locks.class,
    EndpointBodies.OneKey.class,
    EndpointBodies.Problem.class
})
public final class RowlockEndpointAutoConfiguration {
    private static final boolean HIKARI = ClassUtils.isPresent(
            "com.zaxxer.hikari.HikariDataSource", RowlockEndpointAutoConfiguration.class.getClassLoader());

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    RowlockHistoryEndpoint rowlockHistoryEndpoint(RowlockClient client) {
        return new RowlockHistoryEndpoint(client.admin());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    RowlockEndpoint rowlockEndpoint(
            RowlockClient client,
            BeanFactory beans,
            ObjectProvider<LockDatabase> database,
            ObjectProvider<LockDataSource> dataSource) {
        LockDataSource connections = dataSource.getIfAvailable();
        Supplier<Map<String, LockPools.Use>> pools =
                HIKARI && connections != null ? new LockPools(beans, connections)::use : Map::of;
        return new RowlockEndpoint(client.admin(), database.getIfAvailable(), pools);
    }
}
