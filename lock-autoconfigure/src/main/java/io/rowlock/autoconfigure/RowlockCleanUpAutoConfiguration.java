package io.rowlock.autoconfigure;

import io.rowlock.LockClient;
import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.cleanup.CleanUpJob;
import io.rowlock.store.jdbc.cleanup.TableCleanUp;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the job that cleans the tables. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnBean({LockClient.class, LockDatabase.class, RowlockProperties.class})
public final class RowlockCleanUpAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    Maintenance rowlockMaintenance(LockDatabase database, TablePrefix prefix, RowlockProperties properties) {
        return new TableCleanUp(
                database,
                prefix,
                properties.cleanup().keepIdle(),
                properties.log().retention());
    }

    @Bean
    @ConditionalOnMissingBean
    CleanUpJob rowlockCleanUpJob(LockClient client, Maintenance maintenance, RowlockProperties properties) {
        return new CleanUpJob(client, maintenance, properties.cleanup().interval());
    }
}
