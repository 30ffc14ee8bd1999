package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.DistributedSemaphore;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.OnBusy;
import io.rowlock.annotation.ReadLock;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

class LockAnnotationTests {
    private static @Nullable GuardedMethod found(
            StringValueResolver placeholders, LockInterceptorSettings overrides, Class<?> declaring, Class<?> bean) {
        ProxiedMethod found = new GuardedMethods(placeholders, overrides, new DefaultListableBeanFactory())
                .find(method(declaring), bean);
        return found == null ? null : found.lock();
    }

    private static @Nullable GuardedMethod found(StringValueResolver placeholders, Class<?> bean) {
        return found(placeholders, LockInterceptorSettings.DEFAULT, bean, bean);
    }

    private static @Nullable GuardedMethod found(Class<?> declaring, Class<?> bean) {
        return found(text -> text, LockInterceptorSettings.DEFAULT, declaring, bean);
    }

    private static LockInterceptorSettings settings(String name, LockInterceptorSettings.OfName set) {
        return new LockInterceptorSettings(0, AdviceMode.PROXY, Map.of(name, set));
    }

    @Test
    void permitsOfANameAreThoseOfItsSemaphoresAlone() {
        LockInterceptorSettings five =
                settings("x", new LockInterceptorSettings.OfName(null, null, null, null, null, 5, null));
        GuardedMethod exclusive = found(text -> text, five, Maintained.class, Maintained.class);
        assertThat(exclusive).isNotNull();
        assertThat(exclusive.sample().permits()).isZero();
        GuardedMethod semaphore = found(text -> text, five, Counted.class, Counted.class);
        assertThat(semaphore).isNotNull();
        assertThat(semaphore.sample().permits()).isEqualTo(5);
    }

    static class Maintained {
        @DistributedLock("x")
        public void run() {}
    }

    static class Counted {
        @DistributedSemaphore(name = "x", permits = "2")
        public void run() {}
    }

    @Test
    void fallbackOfAClassIsReadAsOnEveryMethod() {
        for (Class<?> type : List.of(PlacedFallback.class, BlankedFallback.class)) {
            try (GuardedContext context = new GuardedContext(Map.of("when-busy", "busy"), type)) {
                context.client.beBusy();
                assertThat(((Falling) context.bean(type)).run()).isEqualTo("busy");
            }
        }
    }

    /** The fallback is looked for all the same, so that a wrong name stays an error. */
    @ParameterizedTest
    @EnumSource(OnBusy.class)
    void settingOfBusyLocksWinsOverTheFallback(OnBusy set) {
        LockInterceptorSettings overrides =
                settings("x", new LockInterceptorSettings.OfName(null, null, null, null, set, null, null));
        GuardedMethod guarded =
                found(text -> text.replace("${when-busy}", "busy"), overrides, Falling.class, PlacedFallback.class);
        assertThat(guarded).isNotNull();
        assertThat(guarded.onBusy()).isEqualTo(set);
        assertThat(guarded.fallback()).isNull();
    }

    abstract static class Falling {
        public @Nullable String run() {
            return "ran";
        }

        public String busy() {
            return "busy";
        }
    }

    @DistributedLock(name = "x", fallback = "${when-busy}")
    static class PlacedFallback extends Falling {}

    @DistributedLock(name = "x", fallback = " busy ")
    static class BlankedFallback extends Falling {}

    @ParameterizedTest
    @CsvSource({
        "30s, PT30S",
        "500ms, PT0.5S",
        "5us, PT0.000005S",
        "7ns, PT0.000000007S",
        "2m, PT2M",
        "1h, PT1H",
        "1d, PT24H",
        "1m30s, PT1M30S",
        "PT30S, PT30S",
        "pt0.5s, PT0.5S",
        "' 3s ', PT3S"
    })
    void durationsAreReadAsSpringBootReadsThem(String text, Duration expected) {
        GuardedMethod guarded = found(value -> value.replace("${ttl}", text), Placeholder.class);
        assertThat(guarded).isNotNull();
        assertThat(guarded.sample().ttl()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"soon", "5 parsecs", "3x", "s", "PT", "1500", "99999999999999999999s", "9223372036854775807d"})
    void otherDurationsAreRefusedByName(String text) {
        assertThatExceptionOfType(InvalidLockAnnotationException.class)
                .isThrownBy(() -> found(value -> value.replace("${ttl}", text), Placeholder.class))
                .withMessageContaining("Placeholder.run()")
                .withMessageContaining("ttl \"" + text + "\"");
    }

    @Test
    void unsetAttributesAreNull() {
        GuardedMethod guarded = found(Plain.class, Plain.class);
        assertThat(guarded).isNotNull();
        assertThat(guarded)
                .isEqualTo(new GuardedMethod(
                        Plain.class,
                        method(Plain.class),
                        true,
                        GuardedMethod.Kind.VALUE,
                        "plain",
                        null,
                        LockRequest.exclusive("plain").withName("plain"),
                        OnBusy.THROW,
                        null,
                        false));
    }

    @Test
    void permitsMayComeFromAPropertyAndAreRetunedByName() {
        LockInterceptorSettings retuned =
                settings("limited", new LockInterceptorSettings.OfName(null, null, null, null, null, 7, null));
        GuardedMethod guarded = found(value -> value.replace("${parallel}", "5"), Limited.class);
        assertThat(guarded).isNotNull();
        assertThat(guarded.sample().mode()).isEqualTo(LockMode.PERMIT);
        Limited target = new Limited();
        MethodInvocation call = new ReflectiveMethodInvocation(
                target, target, method(Limited.class), new Object[0], Limited.class, List.of()) {};
        assertThat(guarded.request(call))
                .isEqualTo(LockRequest.permit("limited:1", 5).withName("limited"));
        GuardedMethod changed =
                found(value -> value.replace("${parallel}", "5"), retuned, Limited.class, Limited.class);
        assertThat(changed).isNotNull().extracting(of -> of.sample().permits()).isEqualTo(7);
    }

    static class Limited {
        @DistributedSemaphore(name = "limited", key = "1", permits = "${parallel}")
        public void run() {}
    }

    @Test
    void overridingMethodsOwnAnnotationWins() {
        GuardedMethod guarded = found(Plain.class, Overriding.class);
        assertThat(guarded).isNotNull();
        assertThat(guarded.name()).isEqualTo("own");
        assertThat(guarded.sample().mode()).isEqualTo(LockMode.SHARED);
    }

    @Test
    void overridingMethodInheritsTheAnnotation() {
        GuardedMethod guarded = found(Inheriting.class, Inheriting.class);
        assertThat(guarded).isNotNull();
        assertThat(guarded.name()).isEqualTo("plain");
    }

    @Test
    void classWithoutAnnotationHasNoOperation() {
        assertThat(found(None.class, None.class)).isNull();
    }

    private static Method method(Class<?> type) {
        Method method = ReflectionUtils.findMethod(type, "run");
        assertThat(method).isNotNull();
        return method;
    }

    static class Placeholder {
        @DistributedLock(name = "x", ttl = "${ttl}")
        public void run() {}
    }

    static class Plain {
        @DistributedLock("plain")
        public void run() {}
    }

    static class Overriding extends Plain {
        @Override
        @ReadLock("own")
        public void run() {}
    }

    static class Inheriting extends Plain {
        @Override
        public void run() {}
    }

    static class None {
        public void run() {}
    }
}
