package io.rowlock.interceptor;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;

/**
 * Places the interceptor among others; a bean of this type overrides the default.
 *
 * @param order the order of the advisor: lower ones are further outside
 */
public record LockInterceptorSettings(int order) implements AopInfrastructureBean {
    /** Outside of {@code @Transactional}, whose advisor is last of all unless its order was changed. */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    static int orderOf(ObjectProvider<LockInterceptorSettings> settings) {
        return settings.stream().findFirst().map(LockInterceptorSettings::order).orElse(DEFAULT_ORDER);
    }
}
