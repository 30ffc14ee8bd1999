package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.OnLost;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.OnBusy;
import io.rowlock.annotation.ReadLock;
import io.rowlock.annotation.WriteLock;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.SmartApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Mono;

@SuppressWarnings("unused") // fallbacks and other methods that are called by reflection, or must not be
class LockInterceptorTests {
    private final GuardedContext context = new GuardedContext(
            Map.of("shop", "berlin", "patience", "PT5S"), Shop.class, ByClass.class, Port.class, Generic.class);
    private final RecordingLockClient client = context.client;
    private final Shop shop = context.bean(Shop.class);

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void lockIsHeldWhileTheBodyRuns() {
        assertThat(shop.plain(client)).isEqualTo("done");
        assertThat(client.log).containsExactly("lock report", "body", "release");
        assertThat(client.requests.get(0)).satisfies(request -> {
            assertThat(request.ttl()).isNull();
            assertThat(request.waitTime()).isNull();
            assertThat(request.strategy()).isNull();
            assertThat(request.holdAtLeast()).isZero();
            assertThat(request.name()).isEqualTo("report");
            assertThat(request.onLost()).isEqualTo(OnLost.NOTIFY);
        });
    }

    @Test
    void everyAttributeReachesTheRequest() {
        shop.everything("7");
        assertThat(client.requests.get(0)).satisfies(request -> {
            assertThat(request.keys()).containsExactly("stock-berlin:7");
            assertThat(request.mode()).isEqualTo(LockMode.EXCLUSIVE);
            assertThat(request.ttl()).isEqualTo(Duration.ofSeconds(30));
            assertThat(request.waitTime()).isEqualTo(Duration.ofSeconds(5));
            assertThat(request.holdAtLeast()).isEqualTo(Duration.ofMillis(1500));
            assertThat(request.strategy()).isEqualTo("row-lock");
            assertThat(request.name()).isEqualTo("stock-berlin");
            assertThat(request.onLost()).isEqualTo(OnLost.INTERRUPT);
        });
    }

    @Test
    void readLockIsSharedAndWriteLockIsExclusive() {
        shop.read("1");
        shop.write("1");
        assertThat(client.requests).extracting("mode").containsExactly(LockMode.SHARED, LockMode.EXCLUSIVE);
    }

    @Test
    void composedAnnotationMapsItsAttributes() {
        shop.composed("x");
        assertThat(client.requests.get(0).keys()).containsExactly("composed:x");
        assertThat(client.requests.get(0).onLost()).isEqualTo(OnLost.INTERRUPT);
        assertThat(client.requests.get(0).ttl()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void classLevelAnnotationGuardsPublicMethodsAndTheMethodsOwnWins() {
        ByClass bean = context.bean(ByClass.class);
        bean.first();
        bean.second();
        bean.inherited();
        bean.busy();
        assertThat(bean.toString()).isEqualTo("by class");
        bean.notPublic();
        assertThat(client.requests)
                .extracting(request -> request.keys().get(0) + " " + request.mode())
                .containsExactly("class EXCLUSIVE", "own SHARED", "class EXCLUSIVE");
    }

    @Test
    void annotationOfAnInterfaceGuardsAJdkProxyWithItsParameterNames() {
        PortApi port = context.bean(PortApi.class);
        assertThat(AopUtils.isJdkDynamicProxy(port)).isTrue();
        port.pay("d1", "c1");
        port.defaulted("x");
        assertThat(client.requests)
                .extracting(request -> request.keys().get(0))
                .containsExactly("debt:d1/c1", "default:x");
    }

    @Test
    void resultsAreKnownThoughTheInterfaceIsGeneric() {
        GenericApi<String, Optional<String>, Mono<String>> generic = generic();
        assertThat(generic.later("x").block()).isEqualTo("later x");
        assertThat(client.log).containsExactly("lock generic:x", "detach", "release");
        client.beBusy();
        assertThat(generic.now("x")).isEmpty();
    }

    @SuppressWarnings("unchecked")
    private GenericApi<String, Optional<String>, Mono<String>> generic() {
        return context.bean(GenericApi.class);
    }

    @Test
    void bodysExceptionIsUnchangedAndCarriesAFailedRelease() {
        client.closeFailure = new LockStoreException("down", null);
        IOException thrown = new IOException("body");
        assertThatThrownBy(() -> shop.fail(thrown)).isSameAs(thrown).hasSuppressedException(client.closeFailure);
        assertThat(client.log).containsExactly("lock failing", "release");
    }

    @Test
    void resultSurvivesAFailedRelease() {
        client.closeFailure = new LockStoreException("down", null);
        assertThat(shop.plain(client)).isEqualTo("done");
    }

    @Test
    void busyLockThrows() {
        client.beBusy();
        assertThatExceptionOfType(LockNotAcquiredException.class)
                .isThrownBy(() -> shop.plain(client))
                .withMessageContaining("report")
                .withMessageContaining("other#1");
        assertThat(client.log).isEmpty();
    }

    @Test
    void skippedCallReturnsNothing() {
        client.beBusy();
        shop.skipVoid();
        assertThat(shop.skipText()).isNull();
        assertThat(shop.skipBoxed()).isNull();
        assertThat(shop.skipOptional()).isEmpty();
        assertThat(shop.skipInt()).isEmpty();
        assertThat(shop.skipLong()).isEmpty();
        assertThat(shop.skipStage().toCompletableFuture()).isCompletedWithValue(null);
        assertThat(shop.skipCompletable()).isCompletedWithValue(null);
        assertThat(shop.skipMono().blockOptional()).isEmpty();
        assertThat(shop.skipList()).isEmpty();
        assertThat(shop.skipMap()).isEmpty();
        assertThat(shop.skipArray()).isEmpty();
        assertThat(client.log).isEmpty();
    }

    @Test
    void fallbackIsCalledWithTheSameArguments() throws Exception {
        client.beBusy();
        assertThat(shop.withFallback("a", 2)).isEqualTo("busy a2");
        assertThat(shop.withStaticFallback("b")).isEqualTo("static b");
        assertThatThrownBy(() -> shop.withThrowingFallback("c")).isExactlyInstanceOf(IOException.class);
    }

    @Test
    void adviceOfAFallbackApplies() {
        try (GuardedContext other = new GuardedContext(AdviceOfFallbacks.class, Postponing.class, Delaying.class)) {
            other.client.beBusy();
            assertThat(other.bean(Postponing.class).pay()).isEqualTo("advised postponed");
            assertThat(other.bean(Delayed.class).pay()).isEqualTo("advised delayed");
        }
    }

    @Test
    void adviceOfAProtectedFallbackOfAClassWithALockApplies() {
        try (GuardedContext other = new GuardedContext(AdviceOfFallbacks.class, AllGuarded.class)) {
            other.client.beBusy();
            assertThat(other.bean(AllGuarded.class).pay()).isEqualTo("advised postponed");
        }
    }

    @DistributedLock("pay")
    static class AllGuarded {
        @DistributedLock(name = "pay", fallback = "postpone")
        public String pay() {
            return "paid";
        }

        protected String postpone() {
            return "postponed";
        }
    }

    /** Spring sorts proxies by their order, and asks each listener at each event. */
    @Test
    void lockOfAClassIsNotTakenForQuestionsOfTheContainer() {
        try (GuardedContext other = new GuardedContext(Import.class)) {
            SmartApplicationListener listener = other.bean(SmartApplicationListener.class);
            assertThat(listener.getOrder()).isEqualTo(Ordered.LOWEST_PRECEDENCE);
            assertThat(listener.supportsEventType(ContextClosedEvent.class)).isFalse();
            Lifecycle started = (Lifecycle) listener;
            assertThat(started.isRunning()).isFalse();
            assertThat(other.client.log).isEmpty();
            started.start();
            assertThat(other.client.log).containsExactly("lock import", "release");
        }
    }

    @DistributedLock("import")
    static class Import implements SmartApplicationListener, Lifecycle {
        @Override
        public boolean supportsEventType(Class<? extends ApplicationEvent> eventType) {
            return false;
        }

        @Override
        public void onApplicationEvent(ApplicationEvent event) {}

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AdviceOfFallbacks {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor fallbackAdvisor() {
            NameMatchMethodPointcut fallbacks = new NameMatchMethodPointcut();
            fallbacks.setMappedName("postpone");
            return new DefaultPointcutAdvisor(fallbacks, (MethodInterceptor) call -> "advised " + call.proceed());
        }
    }

    static class Postponing {
        @DistributedLock(name = "pay", fallback = "postpone")
        public String pay() {
            return "paid";
        }

        public String postpone() {
            return "postponed";
        }
    }

    interface Delayed {
        String pay();

        String postpone();
    }

    static class Delaying implements Delayed {
        @Override
        @DistributedLock(name = "pay", fallback = "postpone")
        public String pay() {
            return "paid";
        }

        @Override
        public String postpone() {
            return "delayed";
        }
    }

    @Test
    void outageAndInterruptAreNeitherSkippedNorSentToTheFallback() {
        client.refusal = request -> new LockStoreException("down", null);
        assertThatThrownBy(shop::skipVoid).isInstanceOf(LockStoreException.class);
        assertThatThrownBy(() -> shop.withFallback("a", 1)).isInstanceOf(LockStoreException.class);
        client.refusal = request -> new LockInterruptedException("k", Duration.ZERO, new InterruptedException("test"));
        assertThatThrownBy(shop::skipVoid).isInstanceOf(LockInterruptedException.class);
        assertThatThrownBy(() -> shop.withFallback("a", 1)).isInstanceOf(LockInterruptedException.class);
        assertThatThrownBy(() -> shop.skipMono().block()).isInstanceOf(LockInterruptedException.class);
    }

    @Test
    void busyLockInsideTheBodyIsTheBodysOwnException() {
        LockNotAcquiredException inner = new LockNotAcquiredException("inner", Duration.ZERO, null);
        assertThatThrownBy(() -> shop.skipButThrow(inner)).isSameAs(inner);
        assertThat(client.log).containsExactly("lock skip", "release");
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(name = "composed", ttl = "1m", onLost = OnLost.INTERRUPT)
    @interface Composed {
        @AliasFor(annotation = DistributedLock.class, attribute = "key")
        String by();
    }

    static class Shop {
        @DistributedLock("report")
        public String plain(RecordingLockClient client) {
            client.log.add("body");
            return "done";
        }

        @DistributedLock(
                name = "stock-${shop}",
                key = "#id",
                ttl = "30s",
                waitTime = "${patience}",
                holdAtLeast = "1500ms",
                strategy = "row-lock",
                onLost = OnLost.INTERRUPT)
        public void everything(String id) {}

        @ReadLock(name = "debt", key = "#id")
        public void read(String id) {}

        @WriteLock(name = "debt", key = "#id")
        void write(String id) {}

        @Composed(by = "#p0")
        public void composed(String id) {}

        @DistributedLock("failing")
        public void fail(Exception thrown) throws Exception {
            throw thrown;
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public void skipVoid() {}

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public void skipButThrow(RuntimeException thrown) {
            throw thrown;
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public @Nullable String skipText() {
            return "ran";
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public @Nullable Integer skipBoxed() {
            return 1;
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public Optional<String> skipOptional() {
            return Optional.of("ran");
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public OptionalInt skipInt() {
            return OptionalInt.of(1);
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public OptionalLong skipLong() {
            return OptionalLong.of(1);
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public CompletionStage<String> skipStage() {
            return CompletableFuture.completedFuture("ran");
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public CompletableFuture<String> skipCompletable() {
            return CompletableFuture.completedFuture("ran");
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public Mono<String> skipMono() {
            return Mono.just("ran");
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public List<String> skipList() {
            return List.of("ran");
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public Map<String, String> skipMap() {
            return Map.of("ran", "ran");
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public int[] skipArray() {
            return new int[] {1};
        }

        @DistributedLock(name = "fall", fallback = "busy")
        public String withFallback(String text, int number) {
            return "ran";
        }

        private String busy(String text, int number) {
            return "busy " + text + number;
        }

        @DistributedLock(name = "fall", fallback = "staticBusy")
        public Object withStaticFallback(String text) {
            return "ran";
        }

        static String staticBusy(String text) {
            return "static " + text;
        }

        @DistributedLock(name = "fall", fallback = "throwing")
        public void withThrowingFallback(String text) throws IOException {}

        private void throwing(String text) throws IOException {
            throw new IOException(text);
        }
    }

    static class Parent {
        public void inherited() {}
    }

    @DistributedLock(name = "class", fallback = "busy")
    static class ByClass extends Parent {
        public void first() {}

        @ReadLock("own")
        public void second() {}

        public void busy() {}

        void notPublic() {}

        @Override
        public String toString() {
            return "by class";
        }
    }

    interface PortApi {
        @WriteLock(name = "debt", key = "#debtId + '/' + #creditor")
        void pay(String debtId, String creditor);

        @DistributedLock(name = "default", key = "#it")
        default void defaulted(String it) {}
    }

    interface GenericApi<A, N, L> {
        N now(A argument);

        @DistributedLock(name = "generic", key = "#argument")
        L later(A argument);
    }

    static class Generic implements GenericApi<String, Optional<String>, Mono<String>> {
        @Override
        @DistributedLock(name = "generic", onBusy = OnBusy.SKIP)
        public Optional<String> now(String text) {
            return Optional.of("now " + text);
        }

        @Override
        public Mono<String> later(String text) {
            return Mono.just("later " + text);
        }
    }

    static class Port implements PortApi {
        @Override
        public void pay(String id, String debtId) {}
    }
}
