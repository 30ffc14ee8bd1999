package io.rowlock.interceptor;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.core.Ordered;

/**
 * Places the interceptor among others; without a bean of this type the default applies.
 *
 * @param order the order of the advisor: lower ones are further outside
 * @param mode whether proxies or woven aspects take the locks
 */
public record LockInterceptorSettings(int order, AdviceMode mode) implements AopInfrastructureBean {
    /** Proxies, outside of {@code @Transactional}, whose advisor is last of all unless its order was changed. */
    public static final LockInterceptorSettings DEFAULT =
            new LockInterceptorSettings(Ordered.LOWEST_PRECEDENCE - 1000, AdviceMode.PROXY);
}
