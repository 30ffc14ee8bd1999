package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.client.StartUpCheck;
import io.rowlock.autoconfigure.datasource.LockDataSource;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.jdbc.LockDatabase;
import java.time.Instant;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of what is checked and said when the application starts. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnBean({RowlockClient.class, LockDatabase.class, RowlockProperties.class})
public final class RowlockStartUpAutoConfiguration {
    @Bean
    StartUpCheck rowlockStartUpCheck(
            RowlockClient client,
            LockDatabase database,
            RowlockProperties properties,
            ObjectProvider<LockDataSource> dataSource,
            BeanFactory beans) {
        LockDataSource connections = dataSource.getIfAvailable();
        return new StartUpCheck(
                client.admin(),
                database,
                settings(client, properties, beans.containsBean(RowlockTransactionAutoConfiguration.FENCES_BEAN_NAME)),
                connections == null ? Map.of() : connections.servers(),
                Instant::now);
    }

    private static StartUpCheck.Settings settings(RowlockClient client, RowlockProperties properties, boolean fencing) {
        return new StartUpCheck.Settings(
                client.settings().strategy(),
                fencing,
                properties.cluster().writers() == RowlockProperties.Cluster.Writers.ONE,
                properties.schema().initialize() == RowlockProperties.Schema.Initialize.NEVER,
                properties.startup().timeout());
    }
}
