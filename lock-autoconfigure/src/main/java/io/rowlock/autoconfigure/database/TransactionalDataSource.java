package io.rowlock.autoconfigure.database;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ReflectionUtils;

/** Finds the DataSource whose connection a transaction manager binds to the thread. */
public final class TransactionalDataSource {
    private TransactionalDataSource() {}

    /**
     * Returns the DataSources of all transaction managers.
     *
     * @param beans where the transaction managers are
     * @return them, each once
     */
    public static List<DataSource> all(ListableBeanFactory beans) {
        return BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, TransactionManager.class, false, true)
                .values()
                .stream()
                .map(TransactionalDataSource::of)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    public static @Nullable DataSource of(TransactionManager manager) {
        if (manager instanceof ResourceTransactionManager resource
                && resource.getResourceFactory() instanceof DataSource dataSource) {
            return dataSource;
        }
        // JpaTransactionManager and others expose the connection of a DataSource beside their own resource
        BeanWrapperImpl properties = new BeanWrapperImpl(manager);
        return properties.isReadableProperty("dataSource")
                        && properties.getPropertyValue("dataSource") instanceof DataSource dataSource
                ? dataSource
                : null;
    }

    /**
     * Returns what a manager has in a field of its own, as a decorator has the manager that it passes its calls on to.
     *
     * @param declared what the field may be declared as
     * @param wanted what is in it
     * @return it, or empty if there is none
     */
    public static <T> Optional<T> inside(TransactionManager manager, Class<?> declared, Class<T> wanted) {
        Object target = Objects.requireNonNullElse(AopProxyUtils.getSingletonTarget(manager), manager);
        AtomicReference<@Nullable T> found = new AtomicReference<>();
        ReflectionUtils.doWithFields(target.getClass(), field -> {
            if (declared.isAssignableFrom(field.getType())) {
                ReflectionUtils.makeAccessible(field);
                if (wanted.isInstance(field.get(target))) {
                    found.set(wanted.cast(field.get(target)));
                }
            }
        });
        return Optional.ofNullable(found.get());
    }
}
