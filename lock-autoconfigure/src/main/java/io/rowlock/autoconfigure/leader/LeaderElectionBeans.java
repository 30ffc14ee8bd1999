package io.rowlock.autoconfigure.leader;

import io.rowlock.Misspelling;
import io.rowlock.Printable;
import io.rowlock.annotation.AnnotatedTypes;
import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderOnly;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.env.Environment;
import org.springframework.util.ReflectionUtils;

/**
 * Defines a {@link LeaderElection} bean for each role of the properties and of the {@link LeaderOnly} methods of beans
 * whose class is known without making them. It is named {@code leaderElection.<role>} and qualified by the role.
 *
 * @param environment resolves placeholders in the roles of annotations
 * @param configured the roles of the properties
 */
record LeaderElectionBeans(Environment environment, Supplier<Set<String>> configured)
        implements BeanDefinitionRegistryPostProcessor {
    private static final Logger log = LoggerFactory.getLogger(LeaderElectionBeans.class);
    private static final String PREFIX = "leaderElection.";

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        // by now not every definition is there
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        if (!(beanFactory instanceof BeanDefinitionRegistry registry)) {
            return;
        }
        String[] elections = beanFactory.getBeanNamesForType(LeaderElections.class, true, false);
        if (elections.length != 1) {
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
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, role);
        definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, role));
        return definition;
    }

    private Set<String> roles(ConfigurableListableBeanFactory beans) {
        Set<String> annotated = annotated(beans);
        Set<String> roles = new TreeSet<>(configured.get());
        roles.stream().filter(role -> !annotated.contains(role)).forEach(role -> warnIfMisspelt(role, annotated));
        roles.addAll(annotated);
        return roles;
    }

    /** A role without a method may be one that the program asks for. */
    private static void warnIfMisspelt(String role, Set<String> annotated) {
        Misspelling.of(role, annotated)
                .ifPresent(near -> log.warn(
                        "The properties rowlock.leader.roles.{} are for a role that no @LeaderOnly method has: did you mean \"{}\"?",
                        Printable.of(role),
                        Printable.of(near)));
    }

    private Set<String> annotated(ConfigurableListableBeanFactory beans) {
        Set<String> roles = new TreeSet<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.getType(name, false);
            if (type != null && AnnotatedTypes.contain(type)) {
                addRoles(type, roles);
            }
        }
        return roles;
    }

    /** Leaves out what cannot be a role: that stops the start later, when the bean is made. */
    private void addRoles(Class<?> type, Set<String> roles) {
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            MergedAnnotation<LeaderOnly> annotation = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
                    .get(LeaderOnly.class);
            if (annotation.isPresent()) {
                String role = environment.resolvePlaceholders(annotation.getString(MergedAnnotation.VALUE));
                if (!role.isBlank() && !role.contains("${")) {
                    roles.add(role.strip());
                }
            }
        }
    }
}
