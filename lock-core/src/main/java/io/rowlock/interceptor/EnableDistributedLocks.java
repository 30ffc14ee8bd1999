package io.rowlock.interceptor;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.Import;

/**
 * Makes the lock annotations work in a Spring context that has a {@link io.rowlock.LockClient} bean; with Spring Boot
 * the auto-configuration does so. Stands on a {@code @Configuration} class.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Import({LockInterceptorConfiguration.Registrar.class, LockInterceptorConfiguration.class})
public @interface EnableDistributedLocks {
    /**
     * @return the order of the lock's advisor; lower ones are further outside, so it must stay below that of
     *     {@code @EnableTransactionManagement}
     */
    int order() default LockInterceptorSettings.DEFAULT_ORDER;

    /**
     * @return whether classes are proxied and not their interfaces; true holds for every proxy of the context. With
     *     false a class that has interfaces takes locks only in the methods they declare.
     */
    boolean proxyTargetClass() default false;

    /**
     * @return whether proxies or woven aspects take the locks. With {@link AdviceMode#ASPECTJ} every annotated method must have been woven
     *     with rowlock-aspects, which the start checks; then calls that no proxy sees take their locks, too.
     */
    AdviceMode mode() default AdviceMode.PROXY;
}
