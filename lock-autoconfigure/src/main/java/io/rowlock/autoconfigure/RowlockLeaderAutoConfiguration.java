package io.rowlock.autoconfigure;

import io.rowlock.client.RowlockClient;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeadershipListener;
import io.rowlock.store.jdbc.LeaseStore;
import io.rowlock.store.jdbc.RowLockStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of leader election: a {@code LeaderElection} bean for each role. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnRowlockEnabled
@ConditionalOnBean({RowlockClient.class, RowlockProperties.class})
public final class RowlockLeaderAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    LeaderElections rowlockLeaderElections(
            RowlockClient client, ObjectProvider<LeadershipListener> listeners, RowlockProperties properties) {
        // A row lock ends with its session, perhaps before the leader hears of it
        String strategy = properties.strategy().equals(RowLockStore.NAME) ? LeaseStore.NAME : properties.strategy();
        LeaderElections elections =
                new LeaderElections(client, listeners.orderedStream().toList(), strategy);
        properties.leader().roles().forEach((name, role) -> elections.join(role.named(name)));
        return elections;
    }

    @Bean
    LeadershipListener rowlockLeadershipEventPublisher(ApplicationEventPublisher publisher) {
        return publisher::publishEvent;
    }

    @Bean
    LeaderElectionLifecycle rowlockLeaderElectionLifecycle(LeaderElections elections) {
        return new LeaderElectionLifecycle(elections);
    }

    @Bean
    static LeaderElectionBeans rowlockLeaderElectionBeans(Environment environment) {
        return new LeaderElectionBeans(environment);
    }
}
