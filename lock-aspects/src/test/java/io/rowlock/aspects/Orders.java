package io.rowlock.aspects;

import io.rowlock.OnLost;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.OnBusy;
import io.rowlock.annotation.OncePerCluster;
import io.rowlock.leader.LeaderOnly;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

/** A bean whose methods no proxy guards: they are called by others of it, or cannot be overridden. */
class Orders extends OrdersParent implements OrdersDefaults {
    final AtomicInteger keys = new AtomicInteger();

    String callsItself(Supplier<String> body) {
        return pay("1", body);
    }

    @DistributedLock(name = "pay", key = "#id")
    public String pay(String id, Supplier<String> body) {
        return body.get();
    }

    String callsPrivate(Supplier<String> body) {
        return hidden(body);
    }

    @DistributedLock("private")
    private String hidden(Supplier<String> body) {
        return body.get();
    }

    @DistributedLock("final")
    public final String last(Supplier<String> body) {
        return body.get();
    }

    @DistributedLock(name = "static", key = "#id")
    static String shared(String id, Supplier<String> body) {
        return body.get();
    }

    @Nightly
    Optional<String> composed(Supplier<String> body) {
        return Optional.of(body.get());
    }

    @DistributedLock(name = "busy", waitTime = "0s", onBusy = OnBusy.SKIP)
    Optional<String> skips(Supplier<String> body) {
        return Optional.of(body.get());
    }

    @DistributedLock(name = "busy", waitTime = "0s")
    int refuses(Supplier<String> body) {
        return body.get().length();
    }

    @DistributedLock(name = "busy", waitTime = "0s", fallback = "instead")
    String fallsBack(Supplier<String> body) {
        return body.get();
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // the fallback
    private String instead(Supplier<String> body) {
        return "instead";
    }

    @Cacheable(cacheNames = "prices", key = "'all'")
    @DistributedLock(name = "busy", waitTime = "0s")
    public String prices(Supplier<String> body) {
        return body.get();
    }

    @DistributedLock(name = "lost", onLost = OnLost.THROW)
    String throwsIfLost(Supplier<String> body) {
        return body.get();
    }

    @DistributedLock("checked")
    void throwsChecked() throws IOException {
        throw new IOException("of the body");
    }

    @DistributedLock("future")
    CompletableFuture<String> later(CompletableFuture<String> body) {
        return body;
    }

    @DistributedLock("reactive")
    Mono<String> reactive(Supplier<String> body) {
        return Mono.fromSupplier(body);
    }

    @LeaderOnly("reports")
    @Nullable
    String leads(Supplier<String> body) {
        return body.get();
    }

    @DistributedLock(name = "paid", key = "#root.target.keys.incrementAndGet()")
    @Transactional
    public String inTransaction(Supplier<String> body) {
        return body.get();
    }

    @DistributedLock("own")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public String inOwnTransaction(Supplier<String> body) {
        return body.get();
    }

    @DistributedLock("none")
    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    public String inNoTransaction(Supplier<String> body) {
        return body.get();
    }

    @Transactional
    public String callsOwnTransaction(Supplier<String> body) {
        return inOwnTransaction(body);
    }

    @Transactional
    public String callsNoTransaction(Supplier<String> body) {
        return inNoTransaction(body);
    }

    String callsTransactional(Supplier<String> body) {
        return inTransaction(body);
    }

    public AtomicInteger getKeys() {
        return keys;
    }

    @DistributedLock("type")
    static class OfGuardedType {
        public String run(Supplier<String> body) {
            return body.get();
        }
    }

    @OncePerCluster(name = "composed", holdAtLeast = "0s")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Nightly {}

    /** Two levels above the lock. */
    @Twice.Once
    @Retention(RetentionPolicy.RUNTIME)
    @interface Twice {
        @DistributedLock("twice")
        @Retention(RetentionPolicy.RUNTIME)
        @interface Once {}
    }

    @Twice
    static class OfTypeGuardedTwice {
        public String run(Supplier<String> body) {
            return body.get();
        }
    }

    /** No bean, so nothing looks at it before a call. */
    static class OfUnguardableResult {
        @DistributedLock("unguardable")
        java.util.stream.Stream<String> run() {
            return java.util.stream.Stream.of();
        }
    }
}
