package io.rowlock.interceptor;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.core.Ordered;

/**
 * Places the interceptor among others; a bean of this type overrides the default.
 *
 * @param order the order of the advisor: lower ones are further outside
 * @param mode whether proxies or woven aspects take the locks
 */
public record LockInterceptorSettings(int order, AdviceMode mode) implements AopInfrastructureBean {
    /** Outside of {@code @Transactional}, whose advisor is last of all unless its order was changed. */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

    /** Proxies, at that order. */
    public static final LockInterceptorSettings DEFAULT = new LockInterceptorSettings(DEFAULT_ORDER, AdviceMode.PROXY);

    static LockInterceptorSettings of(ListableBeanFactory beans) {
        return beans.getBeanProvider(LockInterceptorSettings.class, false).stream()
                .findFirst()
                .orElse(DEFAULT);
    }
}
