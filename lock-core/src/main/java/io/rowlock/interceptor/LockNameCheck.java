package io.rowlock.interceptor;

import io.rowlock.Printable;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.LockOverrides;
import io.rowlock.client.RowlockClient;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Warns, once all singletons are there, of settings for a name that no annotation has, and of locks that have one name and
 * different strategies: these do not exclude each other.
 */
final class LockNameCheck implements SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(LockNameCheck.class);

    private final LockedBeans beans;
    private final LockOverrides overrides;
    private final ObjectProvider<RowlockClient> client;

    LockNameCheck(LockedBeans beans, LockOverrides overrides, ObjectProvider<RowlockClient> client) {
        this.beans = beans;
        this.overrides = overrides;
        this.client = client;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<LockedMethod> named = beans.classes().stream()
                .flatMap(this::methods)
                .filter(method -> method.operation().name() != null)
                .toList();
        Set<String> unknown = new TreeSet<>(overrides.byName().keySet());
        named.forEach(method -> unknown.remove(nameOf(method)));
        unknown.forEach(name -> log.warn(
                "The properties rowlock.locks[{}] have no effect: no lock annotation has the name \"{}\". A name with dots or capitals is written in brackets: rowlock.locks[Jobs.nightly].ttl",
                Printable.of(name),
                Printable.of(name)));
        strategies(named).forEach(LockNameCheck::warnUnlessOne);
    }

    /** What is wrong with the annotations of a bean that is not made yet is reported when it is made. */
    private Stream<LockedMethod> methods(Class<?> beanClass) {
        try {
            return beans.methods(beanClass).stream();
        } catch (InvalidLockAnnotationException e) {
            log.debug("The names of {} are not checked", beanClass.getName(), e);
            return Stream.empty();
        }
    }

    private static String nameOf(LockedMethod method) {
        return Objects.requireNonNull(method.operation().name());
    }

    /** The strategies of each name, each with one method that uses it. */
    private Map<String, Map<String, String>> strategies(List<LockedMethod> named) {
        RowlockClient defaults = client.getIfAvailable();
        String usual = defaults == null ? "the default" : defaults.settings().strategy();
        Map<String, Map<String, String>> byName = new TreeMap<>();
        for (LockedMethod method : named) {
            byName.computeIfAbsent(nameOf(method), name -> new TreeMap<>())
                    .putIfAbsent(
                            Objects.requireNonNullElse(method.operation().strategy(), usual),
                            method.guarded().beanClass().getSimpleName() + "."
                                    + method.guarded().method().getName());
        }
        return byName;
    }

    private static void warnUnlessOne(String name, Map<String, String> methods) {
        if (methods.size() > 1) {
            log.warn(
                    "The locks with the name \"{}\" have different strategies, which do not exclude each other: {}",
                    Printable.of(name),
                    methods);
        }
    }
}
