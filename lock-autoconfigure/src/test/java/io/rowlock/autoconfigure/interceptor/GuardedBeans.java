package io.rowlock.autoconfigure.interceptor;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.OnBusy;
import io.rowlock.annotation.ReadLock;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Beans as applications write them. What is asked while a body runs is answered by the test. */
@SuppressWarnings("unused") // fallbacks are called by reflection
final class GuardedBeans {
    static final Class<?>[] ALL = {
        Background.class,
        Jobs.class,
        Tick.class,
        Keys.class,
        Whole.class,
        StoredPrices.class,
        Wiring.class,
        Controller.class
    };

    private GuardedBeans() {}

    @Service
    static class Jobs {
        private final Keys keys;

        Jobs(Keys keys) {
            this.keys = keys;
        }

        @DistributedLock(name = "skip", waitTime = "0s", onBusy = OnBusy.SKIP)
        public String skip() {
            return "ran";
        }

        @DistributedLock(name = "skip", waitTime = "0s", onBusy = OnBusy.SKIP)
        public Optional<String> skipOptional() {
            return Optional.of("ran");
        }

        @DistributedLock(name = "busy", key = "#id", waitTime = "0s", fallback = "${test.fallback}")
        public String fallback(int id) {
            return "ran " + id;
        }

        private String busy(int id) {
            return "busy " + id;
        }

        @DistributedLock(name = "once", waitTime = "0s")
        public String once() {
            return "ran";
        }

        @DistributedLock(
                name = "nightly",
                waitTime = "0s",
                onBusy = OnBusy.SKIP,
                ttl = "${test.ttl}",
                holdAtLeast = "${test.hold}")
        public String nightly() {
            return "ran";
        }

        @DistributedLock(name = "item", key = "#ids", waitTime = "0s")
        public boolean several(Collection<Integer> ids, BooleanSupplier during) {
            return during.getAsBoolean();
        }

        @DistributedLock(name = "tenant", key = "@tenant.key(#p0)")
        public boolean ofTenant(String name, BooleanSupplier during) {
            return during.getAsBoolean();
        }

        @Exclusive(value = "composed", of = "#id")
        public boolean composed(int id, BooleanSupplier during) {
            return during.getAsBoolean();
        }

        @DistributedLock("future")
        public CompletableFuture<String> future(CompletableFuture<String> result) {
            return result;
        }

        @DistributedLock(name = "cancelled", key = "#id", ttl = "5m")
        public CompletableFuture<String> cancelled(String id, CompletableFuture<String> result) {
            return result;
        }

        @DistributedLock(name = "cancelled", key = "#id", ttl = "5m")
        public Mono<String> cancelledMono(String id, Mono<String> result) {
            return result;
        }

        @DistributedLock(name = "mono", waitTime = "0s")
        public Mono<String> mono(Mono<String> result) {
            return result;
        }

        @DistributedLock("self")
        public boolean guarded(BooleanSupplier during) {
            return during.getAsBoolean();
        }

        public boolean callsItself(BooleanSupplier during) {
            return guarded(during);
        }

        @DistributedLock(key = "@tenant.key(#name)")
        public String injected(String name) {
            return keys.key(name);
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(waitTime = "0s")
    @interface Exclusive {
        @AliasFor(annotation = DistributedLock.class, attribute = "name")
        String value();

        @AliasFor(annotation = DistributedLock.class, attribute = "key")
        String of();
    }

    @Service("tenant")
    static class Keys {
        public String key(String name) {
            return "tenant-" + name;
        }
    }

    /** All its methods run under one lock. */
    @Service
    @DistributedLock(name = "whole", waitTime = "0s")
    static class Whole {
        public boolean one(BooleanSupplier during) {
            return during.getAsBoolean();
        }

        public boolean other(BooleanSupplier during) {
            return during.getAsBoolean();
        }
    }

    interface Prices {
        @ReadLock(name = "price", key = "#article", waitTime = "0s")
        int read(String article);
    }

    @Service
    static class StoredPrices implements Prices {
        @Override
        public int read(String of) {
            return 7;
        }
    }

    @Service
    @EnableAsync
    static class Background {
        @Async
        @DistributedLock(name = "background", waitTime = "0s")
        public CompletableFuture<String> run(BooleanSupplier during) {
            return CompletableFuture.completedFuture(
                    during.getAsBoolean() + " on " + Thread.currentThread().getName());
        }
    }

    @Service
    @EnableScheduling
    static class Tick {
        private final AtomicInteger calls = new AtomicInteger();

        @Scheduled(initialDelay = 100, fixedDelay = 100)
        @DistributedLock(name = "tick", waitTime = "0s", onBusy = OnBusy.SKIP)
        public void tick() {
            calls.incrementAndGet();
        }

        int calls() {
            return calls.get();
        }
    }

    @Configuration
    static class Wiring {
        @Bean
        StringBuilder part() {
            return new StringBuilder("part");
        }

        @Bean
        Optional<StringBuilder> assembled() {
            return Optional.of(part());
        }

        @DistributedLock("wiring")
        public boolean guarded(BooleanSupplier during) {
            return during.getAsBoolean();
        }
    }

    @RestController
    static class Controller {
        @GetMapping("/guarded")
        @DistributedLock(name = "web", waitTime = "0s", fallback = "busy")
        String guarded() {
            return "ran";
        }

        private String busy() {
            return "busy";
        }
    }
}
