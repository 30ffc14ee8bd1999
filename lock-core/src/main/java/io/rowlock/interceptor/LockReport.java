package io.rowlock.interceptor;

import io.rowlock.LockMode;
import io.rowlock.Printable;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/**
 * Lists what every annotated method of the beans of an application locks, and how that relates to its transaction. Makes no
 * bean. A method that calls another one of its own object does so without a lock, which cannot be seen here.
 */
public final class LockReport {
    private final ConfigurableListableBeanFactory beans;
    private final StringValueResolver placeholders;
    private final LeaderOnlyAdvice leaders;

    /**
     * @param beans the application's
     * @param placeholders resolves the ${…} of attributes
     */
    public LockReport(ConfigurableListableBeanFactory beans, StringValueResolver placeholders) {
        this.beans = beans;
        this.placeholders = placeholders;
        this.leaders = new LeaderOnlyAdvice(placeholders, () -> {
            throw new IllegalStateException("No method is called");
        });
    }

    private GuardedMethods methods() {
        LockOverrides overrides = beans.getBeanProvider(LockOverrides.class).getIfAvailable(() -> LockOverrides.NONE);
        return new GuardedMethods(placeholders, overrides, beans);
    }

    /** @return the roles of {@code @LeaderOnly} methods, but for those that stop the start when their bean is made */
    public Set<String> roles() {
        return new TreeSet<>(leaders.readable(beans));
    }

    /** @return a line for each annotated method, sorted */
    public List<String> lines() {
        return methods().readable(beans).stream()
                .map(this::line)
                .distinct()
                .sorted()
                .toList();
    }

    /** @return how many methods have an annotation of a lock or of a leader that can work */
    public int guardedMethods() {
        return methods().readable(beans).size() + leaders.readable(beans).size();
    }

    private String line(GuardedMethod guarded) {
        Method method = guarded.method();
        Class<?> beanClass = guarded.beanClass();
        return "%s.%s: %s; order %d; %s"
                .formatted(
                        ClassUtils.getShortName(beanClass),
                        Printable.of(method),
                        lock(guarded),
                        LockInterceptorSettings.of(beans).order(),
                        transaction(method, beanClass));
    }

    private static String lock(GuardedMethod guarded) {
        Stream<String> name =
                Stream.ofNullable(guarded.name()).map(text -> "\"" + text + (guarded.key() == null ? "\"" : ":\""));
        return Stream.concat(name, Stream.ofNullable(guarded.key()).map(KeyExpression::text))
                .collect(Collectors.joining(" + ", taken(guarded) + " ", ""));
    }

    private static String taken(GuardedMethod guarded) {
        return guarded.sample().mode() == LockMode.PERMIT
                ? "one of %d permits of".formatted(guarded.sample().permits())
                : guarded.sample().mode().name().toLowerCase(Locale.ROOT) + " lock on";
    }

    /** Checks of the start refuse a transaction that would begin before. */
    private String transaction(Method method, Class<?> beanClass) {
        boolean transactional = beans.getBeanProvider(TransactionAttributeSource.class).stream()
                .anyMatch(source -> source.getTransactionAttribute(method, beanClass) != null);
        return transactional
                ? "taken before its transaction begins, released after it has ended"
                : "no transaction of its own";
    }
}
