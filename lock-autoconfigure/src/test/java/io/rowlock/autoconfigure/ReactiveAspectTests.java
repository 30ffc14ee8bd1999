package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.client.RowlockClient;
import io.rowlock.interceptor.LockInterceptorConfiguration;
import io.rowlock.store.memory.InMemoryLockStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Mono;

/** Advice of AspectJ inside of a lock that is taken at each subscription, when the call that returned the result is over. */
class ReactiveAspectTests {
    @Configuration(proxyBeanMethods = false)
    @EnableAspectJAutoProxy
    @Import(LockInterceptorConfiguration.class)
    static class Application {
        @Bean
        static RowlockClient client() {
            return RowlockClient.builder(new InMemoryLockStore()).build();
        }
    }

    @Aspect
    static class Seeing {
        private final List<String> seen = new CopyOnWriteArrayList<>();

        @Before("execution(* io.rowlock.autoconfigure.ReactiveAspectTests.*Service.*(..))")
        void see(JoinPoint point) {
            seen.add(point.getSignature().getName());
        }

        List<String> seen() {
            return seen;
        }
    }

    static class StockService {
        @DistributedLock(name = "stock")
        public Mono<String> stock() {
            return Mono.just("stock");
        }
    }

    static class OrderService {
        public String order(Mono<String> stock) {
            return String.valueOf(stock.block());
        }
    }

    @Test
    void adviceSeesTheCallThatIsSubscribedTo() {
        try (var context = new AnnotationConfigApplicationContext(
                Application.class, Seeing.class, StockService.class, OrderService.class)) {
            Mono<String> stock = context.getBean(StockService.class).stock();
            assertThat(stock.block()).isEqualTo("stock");
            assertThat(context.getBean(OrderService.class).order(stock)).isEqualTo("stock");
            assertThat(context.getBean(Seeing.class).seen()).containsExactly("stock", "order", "stock");
        }
    }
}
