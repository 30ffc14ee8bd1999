package io.rowlock.autoconfigure.store;

import io.rowlock.LockClient;
import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.cleanup.CleanUpJob;
import io.rowlock.store.jdbc.cleanup.TableCleanUp;
import io.rowlock.store.jdbc.lease.NamedLocks;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.ServerProof;
import io.rowlock.store.jdbc.session.TablePrefix;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Auto-configuration of what is checked and said when the application starts, and of the job that cleans the tables. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnSwitch("rowlock.enabled")
@ConditionalOnBean({LockClient.class, LockDatabase.class, RowlockProperties.class})
public final class RowlockStartUpAutoConfiguration {
    /** A bean of a feature that this one does not know. */
    private static final String FENCES = "rowlockTransactionFences";

    @Bean
    @ConditionalOnMissingBean
    Maintenance rowlockMaintenance(LockDatabase database, TablePrefix prefix, RowlockProperties properties) {
        return new TableCleanUp(
                database,
                prefix,
                properties.cleanup().keepIdle(),
                properties.log().retention());
    }

    /** Acts by itself: no other bean would have it made. */
    @Bean
    @Lazy(false)
    CleanUpJob rowlockCleanUpJob(LockClient client, Maintenance maintenance, RowlockProperties properties) {
        return new CleanUpJob(client, maintenance, properties.cleanup().interval());
    }

    @Bean
    @ConditionalOnBean(RowlockClient.class)
    StartUpCheck rowlockStartUpCheck(
            RowlockClient client,
            LockDatabase database,
            RowlockProperties properties,
            LockPools pools,
            NamedLocks namedLocks,
            TablePrefix prefix,
            BeanFactory beans) {
        return new StartUpCheck(client.admin(), database, beans.containsBean(FENCES), properties, () -> {
            ServerProof proof = ServerProof.of(database, pools.waiting(), prefix);
            if (!proof.namedLocks()) {
                namedLocks.excludeNobody();
            }
            return proof.failures();
        });
    }
}
