package io.rowlock.test;

import io.rowlock.store.memory.InMemoryLockStore;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.ClassUtils;

/** Does to an application context what {@link RowlockTest} says. */
final class RowlockTestCustomizerFactory implements ContextCustomizerFactory {
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
            keepLocksInMemory(context);
            BeanDefinitionRegistry beans = (BeanDefinitionRegistry) context.getBeanFactory();
            beans.registerBeanDefinition("rowlockTestRecorder", new RootBeanDefinition(LockRecorder.class));
            beans.registerBeanDefinition("rowlockTestControl", new RootBeanDefinition(LockControl.class));
        }

        private static void keepLocksInMemory(ConfigurableApplicationContext context) {
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("rowlockTest", Map.of(NoDatabaseFilter.PROPERTY, "true")));
            InMemoryLockStore locks = new InMemoryLockStore();
            var beans = context.getBeanFactory();
            StandIns.limits()
                    .forEach((strategy, limits) -> beans.registerSingleton(
                            "rowlockTestStore:" + strategy,
                            locks.standingIn(strategy, limits, dataSource -> keepsLocks(dataSource, beans))));
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
