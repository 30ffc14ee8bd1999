package io.rowlock.autoconfigure.leader;

import io.rowlock.autoconfigure.ConditionalOnSwitch;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.RowlockProperties.RoleProperties;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.client.RowlockClient;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderRole;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Auto-configuration of leader election: a {@code LeaderElection} bean for each role. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnSwitch("rowlock.enabled")
@ConditionalOnBean(RowlockClient.class)
@EnableConfigurationProperties(RowlockProperties.class)
public final class RowlockLeaderAutoConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(LeaderElections.class)
    static class Elections {
        @Bean
        LeaderElections rowlockLeaderElections(
                RowlockClient client, RowlockProperties properties, ApplicationEventPublisher publisher) {
            // A row lock ends with its session, perhaps before the leader hears of it. A unique key's token is a
            // counter, which may fall behind in a fail-over; a lease's is at least the server's time
            String standard = client.settings().strategy();
            boolean unfit = standard.equals(RowLockStore.NAME) || standard.equals(UniqueKeyStore.NAME);
            var elections = new LeaderElections(client, publisher::publishEvent, unfit ? LeaseStore.NAME : standard);
            properties.leader().roles().forEach((name, role) -> join(elections, name, role));
            return elections;
        }

        /** Joins a role, unless it breaks a limit of roles or of the strategy. */
        private static void join(LeaderElections elections, String name, RoleProperties role) {
            try {
                elections.join(new LeaderRole(name, role.ttl(), role.interval(), role.enabled()));
            } catch (IllegalArgumentException ex) {
                throw new RowlockSetupException(
                        "Nobody can be elected for the role \"%s\": %s".formatted(name, ex.getMessage()),
                        "Correct the properties rowlock.leader.roles.%s.ttl and interval, or the name. Elect with another strategy in a bean of type LeaderElections."
                                .formatted(name),
                        ex);
            }
        }
    }

    /** Elections of a parent context go on when a child ends. */
    @Bean
    @ConditionalOnBean(value = LeaderElections.class, search = SearchStrategy.CURRENT)
    LeaderElectionLifecycle rowlockLeaderElectionLifecycle(LeaderElections elections, ApplicationContext context) {
        return new LeaderElectionLifecycle(elections, context);
    }

    @Bean
    static LeaderElectionBeans rowlockLeaderElectionBeans(Environment environment) {
        return new LeaderElectionBeans(environment);
    }
}
