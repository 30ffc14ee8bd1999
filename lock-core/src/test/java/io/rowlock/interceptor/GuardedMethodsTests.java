package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.interceptor.GuardedMethod.Kind;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.Mono;

class GuardedMethodsTests {
    private final AtomicInteger resolved = new AtomicInteger();
    private final GuardedMethods methods = new GuardedMethods(
            text -> {
                resolved.incrementAndGet();
                return text;
            },
            LockInterceptorSettings.DEFAULT,
            new DefaultListableBeanFactory());

    @Test
    void methodIsDecidedOnce() {
        ProxiedMethod first = find("value");
        int afterFirst = resolved.get();
        assertThat(find("value")).isSameAs(first);
        assertThat(find("none")).isNull();
        assertThat(afterFirst).isPositive();
        assertThat(resolved).hasValue(afterFirst);
    }

    @Test
    void kindTellsWhenTheLockEnds() {
        assertThat(find("value").lock().kind()).isEqualTo(Kind.VALUE);
        assertThat(find("stage").lock().kind()).isEqualTo(Kind.VALUE);
        assertThat(find("mono").lock().kind()).isEqualTo(Kind.REACTIVE);
        assertThat(find("inTransaction").lock().kind()).isEqualTo(Kind.TRANSACTION);
    }

    private ProxiedMethod find(String name) {
        Method method = ReflectionUtils.findMethod(Jobs.class, name);
        assertThat(method).isNotNull();
        return methods.find(method, Jobs.class);
    }

    static class Jobs {
        @DistributedLock("x")
        public void value() {}

        @DistributedLock("x")
        public CompletableFuture<String> stage() {
            return new CompletableFuture<>();
        }

        @DistributedLock("x")
        public Mono<String> mono() {
            return Mono.empty();
        }

        @DistributedLock(name = "x", strategy = "transaction")
        public void inTransaction() {}

        public void none() {}
    }
}
