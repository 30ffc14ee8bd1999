package io.rowlock.aspects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.client.Fences;
import io.rowlock.client.RowlockClient;
import io.rowlock.interceptor.LockInterceptorConfiguration;
import io.rowlock.interceptor.LockInterceptorSettings;
import io.rowlock.interceptor.WovenLocks;
import io.rowlock.leader.LeaderElections;
import io.rowlock.store.memory.InMemoryLockStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** Methods that the build has woven, in an application whose transactions proxies begin. */
class WovenMethodsTests {
    private static AnnotationConfigApplicationContext context;
    private static RowlockClient locks;
    private static LoggedTransactions transactions;
    private static Orders orders;

    @BeforeAll
    static void start() {
        context = new AnnotationConfigApplicationContext(Woven.class);
        locks = context.getBean(RowlockClient.class);
        transactions = context.getBean(LoggedTransactions.class);
        orders = context.getBean(Orders.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @AfterEach
    void everyLockIsReleased() {
        assertThat(locks.admin().page("", null, 10).locks()).isEmpty();
    }

    @Test
    void methodsThatNoProxyGuardsTakeTheirLocks() {
        assertLocked("pay:1", orders::callsItself);
        assertLocked("private", orders::callsPrivate);
        assertLocked("final", orders::last);
        assertLocked("static:1", body -> Orders.shared("1", body));
        assertLocked("inherited", orders::inherited);
        assertLocked("default", orders::byDefault);
        assertLocked("composed", body -> orders.composed(body).orElseThrow());
        assertLocked("type", context.getBean(Orders.OfGuardedType.class)::run);
        assertLocked("twice", new Orders.OfTypeGuardedTwice()::run);
        assertLocked("pay:1", body -> new Orders().pay("1", body)); // no bean at all
    }

    @Test
    void methodOfNoBeanThatCannotBeGuardedIsRefusedWhenItIsCalled() {
        assertThatExceptionOfType(InvalidLockAnnotationException.class)
                .isThrownBy(() -> new Orders.OfUnguardableResult().run())
                .withMessageContaining("Stream");
    }

    private static void assertLocked(String key, Function<Supplier<String>, String> method) {
        assertThat(locks.isLocked(key)).isFalse();
        assertThat(method.apply(() -> String.valueOf(locks.isHeldByCurrentThread(key))))
                .as(key)
                .isEqualTo("true");
        assertThat(locks.isLocked(key)).isFalse();
    }

    @Test
    void busyLockIsAnsweredAsByAProxy() throws Exception {
        try (HeldLock other = elsewhere("busy")) {
            assertThat(other.isHeld()).isTrue();
            assertThat(orders.skips(() -> "ran")).isEmpty();
            assertThat(orders.fallsBack(() -> "ran")).isEqualTo("instead");
            assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> orders.refuses(() -> "ran"));
        }
        assertThat(orders.skips(() -> "ran")).contains("ran");
        assertThat(orders.refuses(() -> "ran")).isEqualTo(3);
    }

    private static HeldLock elsewhere(String key) throws Exception {
        return CompletableFuture.supplyAsync(() -> locks.acquire(LockRequest.exclusive(key)))
                .get();
    }

    @Test
    void valueThatAProxyHasCachedIsReadWithoutTheLock() throws Exception {
        assertThat(orders.prices(() -> String.valueOf(locks.isLocked("busy")))).isEqualTo("true");
        try (HeldLock other = elsewhere("busy")) {
            assertThat(orders.prices(() -> "ran")).isEqualTo("true");
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void lostLockEndsTheCall() {
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> orders.throwsIfLost(() -> end("lost")))
                .withMessageContaining("lost");
    }

    private static String end(String key) {
        locks.admin().release(key, "test", "it is to be lost");
        return key;
    }

    @Test
    void bodysCheckedExceptionIsThrownOn() {
        assertThatThrownBy(orders::throwsChecked).isInstanceOf(IOException.class);
    }

    @Test
    void lockIsKeptUntilTheFutureCompletes() {
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> result = orders.later(body);
        assertThat(locks.isLocked("future")).isTrue();
        body.complete("done");
        assertThat(result.join()).isEqualTo("done");
    }

    @Test
    void eachSubscriptionTakesTheLock() {
        var result = orders.reactive(() -> String.valueOf(locks.isLocked("reactive")));
        assertThat(locks.isLocked("reactive")).isFalse();
        assertThat(result.block()).isEqualTo("true");
        assertThat(result.block()).isEqualTo("true");
    }

    @Test
    void nodeThatDoesNotLeadSkipsTheMethod() {
        assertThat(orders.leads(() -> "ran")).isNull();
    }

    @Test
    void proxiedTransactionIsInsideOfTheLockWhichIsTakenOnce() {
        int before = orders.getKeys().get();
        transactions.log.clear();
        transactions.onChange = () -> locks.isLocked("paid:" + (before + 1));
        orders.inTransaction(() -> "ran");
        assertThat(orders.getKeys()).hasValue(before + 1);
        assertThat(transactions.log).containsExactly("begin true", "commit true");
    }

    @Test
    void commitUnderALostLockIsRefused() {
        int next = orders.getKeys().get() + 1;
        transactions.log.clear();
        transactions.onChange = () -> false;
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> orders.inTransaction(() -> end("paid:" + next)));
        assertThat(transactions.log).containsExactly("begin false", "rollback false");
    }

    /** No proxy begins the transaction of its own that such a method says it has. */
    @Test
    void transactionKeepsTheLockOfACallWithinTheClass() {
        for (String key : List.of("own", "none")) {
            transactions.log.clear();
            transactions.onChange = () -> locks.isLocked(key);
            String result = key.equals("own")
                    ? orders.callsOwnTransaction(() -> "ran")
                    : orders.callsNoTransaction(() -> "ran");
            assertThat(result).isEqualTo("ran");
            assertThat(transactions.log).containsExactly("begin false", "commit true");
        }
    }

    @Test
    void commitOfATransactionAroundACallWithinTheClassIsRefusedIfTheLockIsLost() {
        transactions.log.clear();
        transactions.onChange = () -> false;
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> orders.callsOwnTransaction(() -> end("own")));
        assertThat(transactions.log).containsExactly("begin false", "rollback false");
    }

    @Test
    void beanThatIsProxiedForItsLocksIsLockedOnceAndInItsOwnCallsToo() {
        try (var proxied = new AnnotationConfigApplicationContext(Proxied.class)) {
            RowlockClient client = proxied.getBean(RowlockClient.class);
            Later later = proxied.getBean(Later.class);
            for (Function<Supplier<String>, String> call :
                    List.<Function<Supplier<String>, String>>of(later::run, later::callsItself)) {
                later.keys().set(0);
                assertThat(call.apply(() -> String.valueOf(client.isHeldByCurrentThread("later:1"))))
                        .isEqualTo("true");
                assertThat(later.keys()).hasValue(1);
            }
        }
    }

    @Test
    void beanOfEachApplicationTakesItsOwnLocks() {
        try (var second = new AnnotationConfigApplicationContext(Woven.class)) {
            RowlockClient others = second.getBean(RowlockClient.class);
            assertLocked("final", orders::last);
            assertThat(second.getBean(Orders.class).last(() -> String.valueOf(others.isHeldByCurrentThread("final"))))
                    .isEqualTo("true");
            assertThatIllegalStateException()
                    .isThrownBy(() -> new Orders().last(() -> "ran"))
                    .withMessageContaining("several applications");
        }
    }

    @Test
    void applicationThatSwitchedItsLocksOffRunsWithoutThem() {
        context.close();
        try {
            assertThatIllegalStateException()
                    .isThrownBy(() -> new Orders().last(() -> "ran"))
                    .withMessageContaining("no application that acquires locks runs");
            WovenLocks off = WovenLocks.off();
            try {
                assertThat(new Orders().last(() -> "ran")).isEqualTo("ran");
            } finally {
                off.destroy();
            }
        } finally {
            start();
        }
    }

    abstract static class Application {
        @Bean
        RowlockClient locks() {
            return RowlockClient.builder(new InMemoryLockStore()).build();
        }

        @Bean
        LoggedTransactions transactionManager(RowlockClient locks) {
            LoggedTransactions transactions = new LoggedTransactions();
            transactions.addListener(Fences.of(locks, Map.of()));
            return transactions;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching(proxyTargetClass = true)
    @EnableTransactionManagement(proxyTargetClass = true)
    @Import(LockInterceptorConfiguration.class)
    static class Woven extends Application {
        @Bean
        static LockInterceptorSettings woven() {
            return new LockInterceptorSettings(LockInterceptorSettings.DEFAULT.order(), AdviceMode.ASPECTJ, Map.of());
        }

        @Bean
        CacheManager caches() {
            return new ConcurrentMapCacheManager();
        }

        @Bean
        LeaderElections elections(RowlockClient locks) {
            return new LeaderElections(locks, event -> {}, null);
        }

        @Bean
        Orders orders() {
            return new Orders();
        }

        @Bean
        Orders.OfGuardedType type() {
            return new Orders.OfGuardedType();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    @Import(LockInterceptorConfiguration.class)
    static class Proxied extends Application {
        @Bean
        Later later() {
            return new Later();
        }
    }
}
