package io.rowlock.interceptor;

import io.rowlock.LockMode;
import io.rowlock.Printable;
import io.rowlock.annotation.InvalidLockAnnotationException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Compares the names of an application's locks: two jobs that run once per cluster must not share one, every name that has settings
 * must exist, and locks of one name need one strategy, because different ones do not exclude each other. Thread-safe.
 */
final class LockNames {
    private static final Logger log = LoggerFactory.getLogger(LockNames.class);

    private final LockInterceptorSettings settings;
    private final Map<String, Job> jobs = new ConcurrentHashMap<>();

    /** A method of one bean, which may have several instances; without a name, of any bean, as Quartz makes its jobs. */
    private record Job(String bean, GuardedMethod method) {
        boolean is(Job other) {
            return (bean.equals(other.bean) || bean.isEmpty() || other.bean.isEmpty())
                    && method.method().equals(other.method.method())
                    && method.beanClass().equals(other.method.beanClass());
        }
    }

    LockNames(LockInterceptorSettings settings) {
        this.settings = settings;
    }

    /** @throws InvalidLockAnnotationException if another job, of this bean or of another, has the name of this one */
    void rejectSecondJob(ProxiedMethod method, String bean) {
        GuardedMethod lock = method.lock();
        if (lock == null || !lock.oncePerCluster()) {
            return;
        }
        Job job = new Job(bean, lock);
        Job present = jobs.putIfAbsent(nameOf(lock), job);
        if (present != null && !present.is(job)) {
            throw method.refused(
                    "its lock in bean \"%s\" has the name \"%s\", as that of %s in bean \"%s\" has, so each would skip the other; give one of them a name of its own, or make both one bean"
                            .formatted(bean, nameOf(lock), present.method().shownAs(), present.bean()),
                    null,
                    null);
        }
    }

    /**
     * Warns of settings for a name that no annotation has, and of locks that have one name and different strategies.
     *
     * @param usual the strategy of locks that name none
     */
    void warn(List<ProxiedMethod> methods, String usual) {
        List<GuardedMethod> named = methods.stream()
                .flatMap(method -> Stream.ofNullable(method.lock()))
                .filter(lock -> lock.name() != null)
                .toList();
        Map<String, Boolean> permits = named.stream()
                .collect(Collectors.toMap(
                        LockNames::nameOf, method -> method.sample().mode() == LockMode.PERMIT, Boolean::logicalOr));
        String names = Printable.of(new TreeSet<>(permits.keySet()).toString());
        new TreeMap<>(settings.locks()).forEach((name, set) -> {
            if (!permits.containsKey(name)) {
                // Which names code acquires is not known; of the properties only stale-snapshot applies to them
                log.atLevel(set.winsOverAnnotation() ? Level.WARN : Level.INFO)
                        .log(
                                "Of rowlock.locks[{}] only stale-snapshot has an effect, on locks that code acquires by that name: no lock annotation has the name \"{}\", the names are {}. A name with dots or capitals is written in brackets: rowlock.locks[Jobs.nightly].ttl",
                                Printable.of(name),
                                Printable.of(name),
                                names);
            } else if (set.permits() != null && !permits.get(name)) {
                log.warn(
                        "The property rowlock.locks[{}].permits has no effect: no @DistributedSemaphore has that name",
                        Printable.of(name));
            }
        });
        strategies(named, usual).forEach((name, byStrategy) -> {
            if (byStrategy.size() > 1) {
                log.warn(
                        "The locks with the name \"{}\" have different strategies, which do not exclude each other: {}",
                        Printable.of(name),
                        byStrategy);
            }
        });
    }

    private static String nameOf(GuardedMethod method) {
        return Objects.requireNonNull(method.name());
    }

    /** Returns the strategies of each name, each with one method that uses it. */
    private static Map<String, Map<String, String>> strategies(List<GuardedMethod> named, String usual) {
        Map<String, Map<String, String>> byName = new TreeMap<>();
        for (GuardedMethod method : named) {
            byName.computeIfAbsent(nameOf(method), name -> new TreeMap<>())
                    .putIfAbsent(
                            Objects.requireNonNullElse(method.sample().strategy(), usual),
                            method.beanClass().getSimpleName() + "."
                                    + method.method().getName());
        }
        return byName;
    }
}
