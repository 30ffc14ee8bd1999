package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockClient;
import io.rowlock.annotation.DistributedLock;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** Where the lock stands among the advice of a method that has everything. */
class AdviceOrderTests {
    @Test
    void lockIsInsideOfWhatRepeatsACallAndOutsideOfWhatStores() {
        try (var context = new AnnotationConfigApplicationContext(Everything.class)) {
            List<String> advice = Arrays.stream(((Advised) context.getBean(Service.class)).getAdvisors())
                    .map(Advisor::getAdvice)
                    .map(each -> each.getClass().getSimpleName())
                    .filter(name -> !name.startsWith("ExposeInvocation"))
                    .toList();
            assertThat(advice.subList(0, 4))
                    .containsExactly(
                            "AnnotationAsyncExecutionInterceptor",
                            "ConcurrencyLimitInterceptor",
                            "RetryAnnotationInterceptor",
                            "LockInterceptor");
            assertThat(advice.subList(4, advice.size()))
                    .containsExactlyInAnyOrder("CacheInterceptor", "TransactionInterceptor");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableResilientMethods
    @EnableCaching
    @EnableTransactionManagement
    @Import(LockInterceptorConfiguration.class)
    static class Everything {
        @Bean
        CacheManager cacheManager() {
            return new ConcurrentMapCacheManager();
        }

        @Bean
        LockClient lockClient() {
            return new RecordingLockClient();
        }

        @Bean
        Service service() {
            return new Service();
        }
    }

    static class Service {
        @Async
        @ConcurrencyLimit(2)
        @Retryable
        @DistributedLock("all")
        @Cacheable("all")
        @Transactional
        public void run() {}
    }
}
