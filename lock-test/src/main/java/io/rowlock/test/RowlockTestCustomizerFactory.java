package io.rowlock.test;

import io.rowlock.store.memory.InMemoryLockStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.ClassUtils;

/** Does to an application context what {@link RowlockTest} says. */
final class RowlockTestCustomizerFactory implements ContextCustomizerFactory {
    private static final String EXCLUDED = "spring.autoconfigure.exclude";

    /** All that asks the application's database or Redis depends on the beans of these. */
    private static final List<String> ON_DATABASE = List.of(
            "io.rowlock.autoconfigure.database.RowlockDataSourceAutoConfiguration",
            "io.rowlock.autoconfigure.redis.RowlockRedisAutoConfiguration");

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        boolean asked = MergedAnnotations.search(SearchStrategy.TYPE_HIERARCHY)
                .withEnclosingClasses(ClassUtils::isInnerClass)
                .from(testClass)
                .isPresent(RowlockTest.class);
        return asked ? new RowlockTestCustomizer() : null;
    }

    /** Part of the key under which Spring caches contexts. */
    private record RowlockTestCustomizer() implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            DefaultListableBeanFactory beans = (DefaultListableBeanFactory) context.getBeanFactory();
            leaveOutDatabase(context.getEnvironment());
            keepLocksInMemory(beans);
            beans.registerBeanDefinition("rowlockTestRecorder", new RootBeanDefinition(LockRecorder.class));
            beans.registerBeanDefinition("rowlockTestControl", new RootBeanDefinition(LockControl.class));
        }

        /** Excludes what the application does, too: the property of one source hides that of the next. */
        private static void leaveOutDatabase(ConfigurableEnvironment environment) {
            List<String> excluded = new ArrayList<>(ON_DATABASE);
            Binder.get(environment)
                    .bind(EXCLUDED, Bindable.listOf(String.class))
                    .ifBound(excluded::addAll);
            environment
                    .getPropertySources()
                    .addFirst(new MapPropertySource("rowlockTest", Map.of(EXCLUDED, String.join(",", excluded))));
        }

        /** Stores that the application declares stand behind. */
        private static void keepLocksInMemory(DefaultListableBeanFactory beans) {
            InMemoryLockStore locks = new InMemoryLockStore();
            StandIns.limits().forEach((strategy, limits) -> {
                RootBeanDefinition store = new RootBeanDefinition(
                        InMemoryLockStore.class,
                        () -> locks.standingIn(strategy, limits, dataSource -> keepsLocks(dataSource, beans)));
                store.setAttribute(AbstractBeanDefinition.ORDER_ATTRIBUTE, Ordered.HIGHEST_PRECEDENCE);
                beans.registerBeanDefinition("rowlockTestStore:" + strategy, store);
            });
        }

        /** Returns true of what may decorate the only DataSource, and of the primary one of several. */
        private static boolean keepsLocks(@Nullable DataSource transactional, ListableBeanFactory beans) {
            return transactional != null
                    && (beans.getBeanNamesForType(DataSource.class).length < 2
                            || transactional
                                    == beans.getBeanProvider(DataSource.class).getIfUnique());
        }
    }
}
