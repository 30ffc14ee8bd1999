package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.client.StartUpCheck;
import io.rowlock.autoconfigure.datasource.LockDataSource;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.jdbc.queue.NamedLocks;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.ServerProof;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
            ObjectProvider<TablePrefix> prefix,
            ObjectProvider<NamedLocks> namedLocks,
            BeanFactory beans) {
        LockDataSource connections = dataSource.getIfAvailable();
        TablePrefix tables = prefix.getIfAvailable();
        return new StartUpCheck(
                client.admin(),
                database,
                settings(client, properties, beans.containsBean(RowlockTransactionAutoConfiguration.FENCES_BEAN_NAME)),
                connections == null || tables == null
                        ? new OwnProof()
                        : new TwoSessions(
                                database,
                                connections,
                                tables,
                                namedLocks,
                                properties.pool().queryTimeout()),
                connections == null ? Map.of() : connections.servers(),
                Instant::now);
    }

    /** The application has declared the stores, and knows its server. */
    private record OwnProof() implements StartUpCheck.Proof {
        @Override
        public List<String> repairs() {
            return List.of();
        }

        @Override
        public List<String> failures() {
            return List.of();
        }
    }

    private record TwoSessions(
            LockDatabase database,
            LockDataSource connections,
            TablePrefix tables,
            ObjectProvider<NamedLocks> namedLocks,
            Duration patience)
            implements StartUpCheck.Proof {
        @Override
        public List<String> repairs() {
            return ServerProof.repairs(database, tables);
        }

        @Override
        public List<String> failures() {
            ServerProof proof = connections.beside(patience, second -> ServerProof.of(database, second, tables));
            if (!proof.namedLocks()) {
                namedLocks.ifAvailable(NamedLocks::excludeNobody);
            }
            return proof.failures();
        }
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
