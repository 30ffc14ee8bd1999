package io.rowlock.autoconfigure;

import io.rowlock.interceptor.LockInterceptorConfiguration;
import io.rowlock.interceptor.LockInterceptorSettings;
import io.rowlock.interceptor.LockInterceptorSettings.OfName;
import java.util.Map;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.DispatcherServlet;

/** Auto-configuration of the lock annotations, and of the answer to a web request whose lock is busy. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnSwitch("rowlock.enabled")
@EnableConfigurationProperties(RowlockProperties.class)
@Import(LockInterceptorConfiguration.class)
public final class RowlockInterceptorAutoConfiguration {
    /** Made before any bean that may be annotated, so it reads the properties it needs by itself. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockInterceptorSettings rowlockInterceptorSettings(Environment environment) {
        Binder binder = Binder.get(environment);
        RowlockProperties.Aop aop = binder.bindOrCreate("rowlock.aop", RowlockProperties.Aop.class);
        Map<String, OfName> locks = binder.bind("rowlock.locks", Bindable.mapOf(String.class, OfName.class))
                .orElseGet(Map::of);
        locks.forEach(PropertyLimit::check);
        return new LockInterceptorSettings(aop.order(), aop.mode(), locks);
    }

    /** The answer to a client of Spring MVC whose lock is busy. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(DispatcherServlet.class)
    static class Web {
        @Bean
        BusyLockAdvice rowlockBusyLockAdvice(RowlockProperties properties) {
            return new BusyLockAdvice(properties.web().busyStatus());
        }
    }
}
