package io.rowlock.autoconfigure.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.autoconfigure.interceptor.GuardedBeans.Jobs;
import io.rowlock.autoconfigure.interceptor.GuardedBeans.Prices;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.Stopwatch;
import io.rowlock.test.database.DatabaseServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What the annotations do for the beans of an application, with another node about. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AnnotatedBeansContract {
    private FreshSchema schema;
    private OtherNode other;
    private ConfigurableApplicationContext node;
    private Jobs jobs;

    /** Chooses how beans are proxied. */
    abstract TestApplication proxied(TestApplication application);

    abstract String proxyCreator();

    boolean byInterface() {
        return false;
    }

    @BeforeServer
    void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        other = OtherNode.on(schema);
        node = proxied(new TestApplication(schema, GuardedBeans.ALL))
                .withWeb()
                .with("spring.application.name", "shop")
                .with("test.fallback", "busy")
                .with("test.ttl", "1m")
                .with("test.hold", "30s")
                .with("spring.lifecycle.timeout-per-shutdown-phase", "1s") // for results that were cancelled
                .start();
        jobs = node.getBean(Jobs.class);
    }

    @AfterServer
    void stop() {
        if (node != null) {
            node.close();
            other.close();
            schema.close();
        }
    }

    @Test
    void proxiesAreMadeByTheExpectedCreator() {
        assertThat(node.getBean("org.springframework.aop.config.internalAutoProxyCreator")
                        .getClass()
                        .getSimpleName())
                .isEqualTo(proxyCreator());
        assertThat(AopUtils.isJdkDynamicProxy(node.getBean(Prices.class))).isEqualTo(byInterface());
        assertThat(AopUtils.isCglibProxy(jobs)).isTrue();
    }

    @Test
    void busyLockIsSkipped() {
        assertThat(jobs.skip()).isEqualTo("ran");
        assertThat(jobs.skipOptional()).contains("ran");
        try (HeldLock lock = other.lock("skip")) {
            assertThat(jobs.skip()).isNull();
            assertThat(jobs.skipOptional()).isEmpty();
        }
        assertThat(jobs.skip()).isEqualTo("ran");
    }

    @Test
    void fallbackIsCalledInstead() {
        assertThat(jobs.fallback(1)).isEqualTo("ran 1");
        try (HeldLock lock = other.lock("busy:1")) {
            assertThat(jobs.fallback(1)).isEqualTo("busy 1");
            assertThat(jobs.fallback(2)).isEqualTo("ran 2");
        }
    }

    @Test
    void refusalNamesKeyAndHolder() {
        assertThat(jobs.once()).isEqualTo("ran");
        Stopwatch time = Stopwatch.start();
        try (HeldLock lock = other.lock("once")) {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(jobs::once)
                    .withMessageContaining("\"once\"")
                    .satisfies(refusal -> {
                        assertThat(refusal.holder().orElseThrow()).startsWith("other@");
                        assertThat(refusal.waited().minus(time.stalled())).isLessThan(Duration.ofSeconds(5));
                    });
        }
    }

    @Test
    void jobIsHeldAtLeastAsLongAsItSays() {
        assertThat(jobs.nightly()).isEqualTo("ran");
        assertThat(other.canLock("nightly")).isFalse();
        assertThat(jobs.nightly()).isNull();
        other.age("nightly");
        assertThat(other.canLock("nightly")).isTrue();
    }

    @Test
    void placeholderOfTheTtlIsResolved() {
        assertThat(jobs.nightly()).isIn("ran", null);
        other.age("nightly");
        assertThat(jobs.nightly()).isEqualTo("ran");
        Integer seconds = schema.jdbc()
                .queryForObject(
                        "SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), expires_at) FROM rowlock_lock WHERE lock_key = "
                                + "'nightly'",
                        Integer.class);
        // Given back before the minimum is over, the row keeps its owner until then
        assertThat(seconds).isBetween(10, 60);
        other.age("nightly");
    }

    @Test
    void everyKeyOfACollectionIsTakenOrNone() {
        assertThat(jobs.several(List.of(2, 1), () -> other.canLock("item:1") || other.canLock("item:2")))
                .isFalse();
        assertThat(other.canLock("item:1") && other.canLock("item:2")).isTrue();
        try (HeldLock lock = other.lock("item:2")) {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> jobs.several(List.of(2, 1), () -> true))
                    .withMessageContaining("item:2");
            assertThat(other.canLock("item:1")).isTrue();
        }
    }

    @Test
    void keyMayAskABean() {
        assertThat(jobs.ofTenant("a", () -> other.canLock("tenant:tenant-a"))).isFalse();
        assertThat(jobs.ofTenant("a", () -> other.canLock("tenant:tenant-b"))).isTrue();
        assertThat(jobs.injected("c")).isEqualTo("tenant-c");
    }

    @Test
    void annotationsCanBeComposed() {
        assertThat(jobs.composed(5, () -> other.canLock("composed:5"))).isFalse();
        assertThat(jobs.composed(5, () -> other.canLock("composed:6"))).isTrue();
    }

    @Test
    void annotationOfAClassHoldsForItsMethods() {
        var whole = node.getBean(GuardedBeans.Whole.class);
        assertThat(whole.one(() -> other.canLock("whole"))).isFalse();
        assertThat(whole.other(() -> other.canLock("whole"))).isFalse();
    }

    @Test
    void annotationOfAnInterfaceHoldsForItsBeans() {
        Prices prices = node.getBean(Prices.class);
        try (HeldLock shared = other.lockShared("price:tea")) {
            assertThat(prices.read("tea")).isEqualTo(7);
        }
        try (HeldLock exclusive = other.lock("price:tea")) {
            assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> prices.read("tea"));
        }
    }

    @Test
    void futureKeepsItsLockUntilItCompletes() throws Exception {
        CompletableFuture<String> result = new CompletableFuture<>();
        CompletableFuture<String> guarded = jobs.future(result);
        assertThat(other.canLock("future")).isFalse();
        result.completeAsync(() -> "done");
        assertThat(guarded.get(10, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(other.canLock("future")).isTrue();
    }

    @Test
    void cancelledResultDoesNotReleaseItsLock() {
        jobs.cancelled("future", new CompletableFuture<>()).cancel(true);
        assertThat(other.canLock("cancelled:future")).isFalse();
        other.takeOver("cancelled:future").close();
        jobs.cancelledMono("mono", Mono.never()).subscribe().dispose();
        assertThat(other.canLock("cancelled:mono")).isFalse();
        other.takeOver("cancelled:mono").close();
    }

    @Test
    void monoKeepsItsLockFromSubscriptionToTheEnd() {
        Sinks.One<String> result = Sinks.one();
        Mono<String> guarded = jobs.mono(result.asMono());
        assertThat(other.canLock("mono")).isTrue();
        CompletableFuture<String> subscribed = guarded.toFuture();
        assertThat(other.canLock("mono")).isFalse();
        result.tryEmitValue("done").orThrow();
        assertThat(subscribed).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("done");
        assertThat(other.canLock("mono")).isTrue();
    }

    @Test
    void asyncMethodTakesItsLockOnItsOwnThread() throws Exception {
        String answer = node.getBean(GuardedBeans.Background.class)
                .run(() -> other.canLock("background"))
                .get(10, TimeUnit.SECONDS);
        assertThat(answer)
                .startsWith("false on ")
                .doesNotEndWith(Thread.currentThread().getName());
    }

    @Test
    void scheduledMethodRunsOnlyWithItsLock() {
        var tick = node.getBean(GuardedBeans.Tick.class);
        await().until(() -> tick.calls() > 1);
        try (HeldLock lock = other.lock("tick")) {
            int before = tick.calls();
            await().during(Duration.ofMillis(500)).atMost(Duration.ofSeconds(5)).until(() -> tick.calls() == before);
        }
        int after = tick.calls();
        await().until(() -> tick.calls() > after);
    }

    @Test
    void callWithinTheObjectTakesNoLock() {
        assertThat(jobs.guarded(() -> other.canLock("self"))).isFalse();
        assertThat(jobs.callsItself(() -> other.canLock("self"))).isTrue();
    }

    @Test
    void configurationIsGuardedAndItsBeansStaySingletons() {
        assertThat(node.getBean(GuardedBeans.Wiring.class).guarded(() -> other.canLock("wiring")))
                .isFalse();
        assertThat(node.getBean("assembled", Optional.class).orElseThrow()).isSameAs(node.getBean("part"));
    }

    @Test
    void controllerIsGuarded() throws Exception {
        assertThat(get("/guarded")).isEqualTo("ran");
        try (HeldLock lock = other.lock("web")) {
            assertThat(get("/guarded")).isEqualTo("busy");
        }
    }

    private String get(String path) throws IOException, InterruptedException {
        String port = node.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
