package io.rowlock.autoconfigure.leader;

import io.rowlock.Printable;
import io.rowlock.autoconfigure.RowlockProperties.RoleProperties;
import io.rowlock.interceptor.DeclaredMethods;
import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderOnly;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Defines a {@link LeaderElection} bean for each role of the properties and of the {@link LeaderOnly} methods of beans
 * whose class is known without making them. It is named {@code leaderElection.<role>} and qualified by the role.
 *
 * @param environment resolves placeholders in the roles of annotations
 */
record LeaderElectionBeans(Environment environment) implements BeanFactoryPostProcessor {
    private static final Logger log = LoggerFactory.getLogger(LeaderElectionBeans.class);
    private static final String PREFIX = "leaderElection.";

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        String[] elections = beanFactory.getBeanNamesForType(LeaderElections.class, true, false);
        if (!(beanFactory instanceof BeanDefinitionRegistry registry) || elections.length != 1) {
            return;
        }
        for (String role : roles(beanFactory)) {
            if (!registry.containsBeanDefinition(PREFIX + role)) {
                registry.registerBeanDefinition(PREFIX + role, definition(role, elections[0]));
            }
        }
    }

    /** Without a supplier, which an application that is built ahead of time could not have. */
    private static RootBeanDefinition definition(String role, String elections) {
        var definition = new RootBeanDefinition();
        definition.setTargetType(LeaderElection.class);
        definition.setFactoryBeanName(elections);
        definition.setFactoryMethodName("of");
        definition.setLazyInit(false); // a node is a candidate from its start, also where beans are made lazily
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, role);
        definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, role));
        return definition;
    }

    private Set<String> roles(ConfigurableListableBeanFactory beans) {
        Set<String> annotated = new DeclaredMethods(beans, environment::resolvePlaceholders).roles();
        Set<String> roles = new TreeSet<>(Binder.get(environment)
                .bind("rowlock.leader.roles", Bindable.mapOf(String.class, RoleProperties.class))
                .orElseGet(Map::of)
                .keySet());
        roles.stream()
                .filter(role -> !annotated.contains(role))
                .forEach(role -> log.info(
                        "The properties rowlock.leader.roles.{} are for a role that only code can ask for: no @LeaderOnly method has it, their roles are {}",
                        Printable.of(role),
                        Printable.of(annotated.toString())));
        roles.addAll(annotated);
        return roles;
    }
}
