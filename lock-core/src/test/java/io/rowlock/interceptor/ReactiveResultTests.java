package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.OnBusy;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.TransactionFence;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

@SuppressWarnings("unused") // fallbacks and other methods that are called by reflection, or must not be
class ReactiveResultTests {
    private final GuardedContext context = new GuardedContext(Streams.class, Inner.class);
    private final RecordingLockClient client = context.client;
    private final Streams streams = context.bean(Streams.class);

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void lockIsTakenAtEachSubscription() {
        Mono<String> mono = streams.mono(client);
        assertThat(client.log).isEmpty();
        assertThat(mono.doOnNext(value -> client.log.add("seen")).block()).isEqualTo("v");
        assertThat(client.log).containsExactly("lock mono", "detach", "body", "release", "seen");
        client.log.clear();
        mono.block();
        assertThat(client.log).containsExactly("lock mono", "detach", "body", "release");
    }

    @Test
    void everySubscriptionPassesTheInterceptorsFurtherInside() {
        Mono<String> mono = streams.inner();
        mono.block();
        client.log.clear();
        mono.block();
        assertThat(client.log).containsExactly("lock inner", "detach", "inner interceptor", "release");
    }

    @Test
    void fluxKeepsTheLockUntilItsLastElement() {
        Sinks.Many<String> sink = Sinks.many().unicast().onBackpressureBuffer();
        streams.flux(sink.asFlux()).subscribe(client.log::add);
        sink.tryEmitNext("a");
        sink.tryEmitNext("b");
        assertThat(client.log).containsExactly("lock flux", "detach", "a", "b");
        sink.tryEmitComplete();
        assertThat(client.log).endsWith("release");
    }

    @Test
    void cancellationLeavesTheLockToItsTtl() {
        Disposable subscription = streams.flux(Flux.never()).subscribe();
        assertThat(client.log).doesNotContain("leave to ttl");
        subscription.dispose();
        assertThat(client.log).endsWith("leave to ttl").doesNotContain("release");
    }

    @Test
    void errorIsUnchangedAndCarriesAFailedRelease() {
        IllegalStateException failure = new IllegalStateException("body");
        client.closeFailure = new LockStoreException("down", null);
        assertThatThrownBy(() -> streams.flux(Flux.error(failure)).blockLast()).isSameAs(failure);
        assertThat(failure).hasSuppressedException(client.closeFailure);
        assertThat(client.log).endsWith("release");
    }

    @Test
    void resultSurvivesAFailedRelease() {
        client.closeFailure = new LockStoreException("down", null);
        assertThat(streams.mono(client).block()).isEqualTo("v");
    }

    @Test
    void busyLockIsAnErrorNothingOrTheFallback() {
        client.beBusy();
        Mono<String> mono = streams.mono(client);
        assertThatThrownBy(mono::block).isInstanceOf(LockNotAcquiredException.class);
        assertThat(streams.skipping().collectList().block()).isEmpty();
        assertThat(streams.falling("x").block()).isEqualTo("busy x");
        assertThat(client.log).isEmpty();
    }

    /** Also a client that is not ours, whose threads are not known. */
    @ParameterizedTest
    @MethodSource("schedulers")
    void clientBlocksNoThreadThatMustNotBlock(Scheduler scheduler) {
        String value =
                Mono.defer(() -> streams.mono(client)).subscribeOn(scheduler).block();
        assertThat(value).isEqualTo("v");
        assertThat(client.acquiringThread.getName()).startsWith("rowlock-reactive");
        assertThat(client.closingThread.getName()).startsWith("rowlock-reactive");
    }

    /** Event loops, the threads for calls that block, and an event loop that Reactor does not know, as that of Lettuce. */
    static List<Scheduler> schedulers() {
        return List.of(
                Schedulers.parallel(),
                Schedulers.boundedElastic(),
                Schedulers.newBoundedElastic(4, Integer.MAX_VALUE, "application", 60, true),
                Schedulers.fromExecutorService(Executors.newSingleThreadExecutor(FastThreadLocalThread::new)));
    }

    /** Bears the name of Netty's class. */
    private static final class FastThreadLocalThread extends Thread {
        FastThreadLocalThread(Runnable task) {
            super(task);
            setDaemon(true);
        }
    }

    @ParameterizedTest
    @MethodSource("schedulers")
    void releaseIsNotBehindThoseThatWaitForIt(Scheduler scheduler) {
        RowlockClient locks = RowlockClient.builder(new InMemoryLockStore()).build();
        Sinks.Empty<String> end = Sinks.empty();
        int waiters = 2 * Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE;
        try (var application = application(locks)) {
            Patient patient = application.getBean(Patient.class);
            Disposable holder = on(scheduler, patient.hold(end.asMono().publishOn(scheduler)));
            await().until(() -> locks.isLocked("patient"));
            List<Disposable> waiting = new ArrayList<>();
            for (int i = 0; i < waiters; i++) {
                waiting.add(on(scheduler, patient.hold(Mono.just("v"))));
            }
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> locks.admin().waiting("patient") >= Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE);
            end.tryEmitEmpty();
            await().atMost(Duration.ofMinutes(1)).until(() -> waiting.stream().allMatch(Disposable::isDisposed));
            assertThat(holder.isDisposed()).isTrue();
        }
    }

    private static AnnotationConfigApplicationContext application(RowlockClient locks) {
        var application = new AnnotationConfigApplicationContext();
        application.registerBean(RowlockClient.class, () -> locks);
        application.register(GuardedContext.Locks.class, Patient.class);
        application.refresh();
        return application;
    }

    private static Disposable on(Scheduler scheduler, Mono<String> call) {
        return call.subscribeOn(scheduler).subscribe();
    }

    /** Nothing that the thread has would come along: a transaction keeps the lock, and the commit check asks for the locks of its thread. */
    @Test
    void callStaysOnAThreadWithATransactionOrALock() throws Exception {
        RowlockClient locks = RowlockClient.builder(new InMemoryLockStore()).build();
        try (var application = application(locks)) {
            Patient patient = application.getBean(Patient.class);
            Callable<String> call = () -> patient.hold(
                            Mono.fromSupplier(() -> Thread.currentThread().getName()))
                    .block(Duration.ofMinutes(1));
            assertThat(onAThreadForBlockingCalls(call)).startsWith("rowlock-reactive");
            String stays = onAThreadForBlockingCalls(() -> {
                TransactionSynchronizationManager.initSynchronization();
                try {
                    return call.call();
                } finally {
                    TransactionSynchronizationManager.clear();
                }
            });
            assertThat(stays).as("with synchronization").startsWith("boundedElastic");
            stays = onAThreadForBlockingCalls(() -> {
                TransactionSynchronizationManager.bindResource(locks, "connection");
                try {
                    return call.call();
                } finally {
                    TransactionSynchronizationManager.unbindResource(locks);
                }
            });
            assertThat(stays).as("with a resource").startsWith("boundedElastic");
            stays = onAThreadForBlockingCalls(() -> locks.execute(LockRequest.exclusive("another"), call::call));
            assertThat(stays).as("with another lock").startsWith("boundedElastic");
        }
    }

    /** As of a transaction that only the thread knows. */
    @Test
    void callIsRefusedOnItsThread() {
        RowlockClient locks = RowlockClient.builder(new InMemoryLockStore()).build();
        ThreadLocal<Boolean> refused = ThreadLocal.withInitial(() -> false);
        TransactionFence.requireAdmission(locks, request -> {
            if (refused.get()) {
                throw new IllegalStateException("not here");
            }
        });
        try (var application = application(locks)) {
            Mono<String> call = application.getBean(Patient.class).hold(Mono.just("v"));
            assertThatThrownBy(() -> onAThreadForBlockingCalls(() -> {
                        refused.set(true);
                        try {
                            return call.block(Duration.ofMinutes(1));
                        } finally {
                            refused.remove();
                        }
                    }))
                    .hasMessageContaining("not here");
        }
    }

    @Test
    void callEntersTheLockOfItsThread() {
        RowlockClient locks = RowlockClient.builder(new InMemoryLockStore()).build();
        try (var application = application(locks)) {
            Mono<String> call = application.getBean(Patient.class).hold(Mono.just("v"));
            String value = onAThreadForBlockingCalls(
                    () -> locks.execute(LockRequest.exclusive("patient"), () -> call.block(Duration.ofMinutes(1))));
            assertThat(value).isEqualTo("v");
        }
    }

    private static <T> T onAThreadForBlockingCalls(Callable<T> call) {
        return Mono.fromCallable(call)
                .subscribeOn(Schedulers.boundedElastic())
                .blockOptional()
                .orElseThrow();
    }

    static class Patient {
        @DistributedLock(name = "patient", waitTime = "1h")
        public Mono<String> hold(Mono<String> body) {
            return body;
        }
    }

    @Test
    void lockThatIsGrantedAfterTheCancellationIsReleased() {
        client.grantAfter = new CountDownLatch(1);
        Disposable subscription = Mono.defer(() -> streams.mono(client))
                .subscribeOn(Schedulers.parallel())
                .subscribe();
        await().until(() -> !client.requests.isEmpty());
        subscription.dispose();
        client.grantAfter.countDown();
        await().untilAsserted(() -> assertThat(client.log).containsExactly("lock mono", "detach", "release"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Inner {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor innerAdvisor(RecordingLockClient client) {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.addMethodName("inner");
            return new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) invocation -> {
                client.log.add("inner interceptor");
                return invocation.proceed();
            });
        }
    }

    static class Streams {
        @DistributedLock("inner")
        public Mono<String> inner() {
            return Mono.just("v");
        }

        @DistributedLock("mono")
        public Mono<String> mono(RecordingLockClient client) {
            client.log.add("body");
            return Mono.just("v");
        }

        @DistributedLock("flux")
        public Flux<String> flux(Flux<String> body) {
            return body;
        }

        @DistributedLock(name = "skip", onBusy = OnBusy.SKIP)
        public Flux<String> skipping() {
            return Flux.just("ran");
        }

        @DistributedLock(name = "fall", fallback = "busy")
        public Mono<String> falling(String text) {
            return Mono.just("ran");
        }

        private Mono<String> busy(String text) {
            return Mono.just("busy " + text);
        }
    }
}
