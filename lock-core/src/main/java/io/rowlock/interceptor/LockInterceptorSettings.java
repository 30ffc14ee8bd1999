package io.rowlock.interceptor;

import io.rowlock.Printable;
import io.rowlock.annotation.OnBusy;
import io.rowlock.client.lock.StaleReads;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.core.Ordered;

/**
 * Places the interceptor among others, and holds what operators set for the locks of annotations with certain names, which wins over the
 * annotation; without a bean of this type the default applies.
 *
 * @param order the order of the advisor: lower ones are further outside
 * @param mode whether proxies or woven aspects acquire the locks
 * @param locks the settings by the name of the annotation, its placeholders resolved
 */
public record LockInterceptorSettings(int order, AdviceMode mode, Map<String, OfName> locks)
        implements AopInfrastructureBean {
    /**
     * Proxies, outside of {@code @Transactional}, whose advisor is last of all unless its order was changed. Annotations apply as they
     * are.
     */
    public static final LockInterceptorSettings DEFAULT =
            new LockInterceptorSettings(Ordered.LOWEST_PRECEDENCE - 1000, AdviceMode.PROXY, Map.of());

    private static final OfName NOTHING = new OfName(null, null, null, null, null, null, null);

    /**
     * The settings of one name. A component that is null leaves the attribute of the annotation as it is.
     *
     * @param ttl how long a holder that died keeps the lock
     * @param waitTime how long to wait for a busy lock
     * @param strategy the name of the strategy
     * @param holdAtLeast how long the lock stays held at least
     * @param onBusy what to do when the wait time is over
     * @param permits how many holders a permit may have beside it, itself included; locks of other modes ignore it
     * @param staleSnapshot what becomes of a transaction that writes under the lock what it read before
     */
    public record OfName(
            @Nullable Duration ttl,
            @Nullable Duration waitTime,
            @Nullable String strategy,
            @Nullable Duration holdAtLeast,
            @Nullable OnBusy onBusy,
            @Nullable Integer permits,
            StaleReads.@Nullable Policy staleSnapshot) {

        /** Returns true if more is set than also applies to locks that code acquires by the name. */
        boolean winsOverAnnotation() {
            return !equals(new OfName(null, null, null, null, null, null, staleSnapshot));
        }
    }

    /**
     * Returns the beginning of the properties of a name.
     *
     * @param name the name
     * @return it, in brackets unless it is of small letters, digits and dashes
     */
    public static String group(String name) {
        return "rowlock.locks" + (name.matches("[a-z0-9-]+") ? "." + name : "[" + Printable.of(name) + "]");
    }

    /** Returns what is set for the name of an annotation, if it has one. */
    OfName of(@Nullable String name) {
        return name == null ? NOTHING : locks.getOrDefault(name, NOTHING);
    }
}
