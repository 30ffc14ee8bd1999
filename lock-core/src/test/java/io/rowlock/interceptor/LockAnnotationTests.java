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
import io.rowlock.interceptor.GuardedMethod.LockOperation;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

class LockAnnotationTests {
    private static @Nullable LockOperation operation(
            StringValueResolver placeholders, LockOverrides overrides, Class<?> declaring, Class<?> bean) {
        GuardedMethod found = new GuardedMethods(placeholders, overrides, new DefaultListableBeanFactory())
                .find(method(declaring), bean);
        return found == null ? null : found.operation();
    }

    private static @Nullable LockOperation operation(StringValueResolver placeholders, Class<?> bean) {
        return operation(placeholders, LockOverrides.NONE, bean, bean);
    }

    private static @Nullable LockOperation operation(Class<?> declaring, Class<?> bean) {
        return operation(text -> text, LockOverrides.NONE, declaring, bean);
    }

    @Test
    void permitsOfANameAreThoseOfItsSemaphoresAlone() {
        LockOverrides five =
                new LockOverrides(Map.of("x", new LockOverrides.Settings(null, null, null, null, null, 5, null)));
        LockOperation exclusive = operation(text -> text, five, Maintained.class, Maintained.class);
        assertThat(exclusive).isNotNull();
        assertThat(exclusive.sample().permits()).isZero();
        LockOperation semaphore = operation(text -> text, five, Counted.class, Counted.class);
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
        LockOverrides overrides =
                new LockOverrides(Map.of("x", new LockOverrides.Settings(null, null, null, null, set, null, null)));
        LockOperation operation =
                operation(text -> text.replace("${when-busy}", "busy"), overrides, Falling.class, PlacedFallback.class);
        assertThat(operation).isNotNull();
        assertThat(operation.onBusy()).isEqualTo(set);
        assertThat(operation.fallback()).isNull();
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
        LockOperation operation = operation(value -> value.replace("${ttl}", text), Placeholder.class);
        assertThat(operation).isNotNull();
        assertThat(operation.sample().ttl()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"soon", "5 parsecs", "3x", "s", "PT", "1500", "99999999999999999999s", "9223372036854775807d"})
    void otherDurationsAreRefusedByName(String text) {
        assertThatExceptionOfType(InvalidLockAnnotationException.class)
                .isThrownBy(() -> operation(value -> value.replace("${ttl}", text), Placeholder.class))
                .withMessageContaining("Placeholder.run()")
                .withMessageContaining("ttl \"" + text + "\"");
    }

    @Test
    void unsetAttributesAreNull() {
        LockOperation operation = operation(Plain.class, Plain.class);
        assertThat(operation)
                .isEqualTo(new LockOperation(
                        method(Plain.class),
                        "plain",
                        null,
                        LockRequest.exclusive("plain").withName("plain"),
                        OnBusy.THROW,
                        null,
                        false,
                        false));
    }

    @Test
    void permitsMayComeFromAPropertyAndAreRetunedByName() {
        LockOverrides retuned =
                new LockOverrides(Map.of("limited", new LockOverrides.Settings(null, null, null, null, null, 7, null)));
        LockOperation operation = operation(value -> value.replace("${parallel}", "5"), Limited.class);
        assertThat(operation).isNotNull();
        assertThat(operation.sample().mode()).isEqualTo(LockMode.PERMIT);
        assertThat(operation.request(List.of("1")))
                .isEqualTo(LockRequest.permit("limited:1", 5).withName("limited"));
        LockOperation changed =
                operation(value -> value.replace("${parallel}", "5"), retuned, Limited.class, Limited.class);
        assertThat(changed).isNotNull().extracting(of -> of.sample().permits()).isEqualTo(7);
    }

    static class Limited {
        @DistributedSemaphore(name = "limited", key = "1", permits = "${parallel}")
        public void run() {}
    }

    @Test
    void overridingMethodsOwnAnnotationWins() {
        LockOperation operation = operation(Plain.class, Overriding.class);
        assertThat(operation).isNotNull();
        assertThat(operation.name()).isEqualTo("own");
        assertThat(operation.sample().mode()).isEqualTo(LockMode.SHARED);
    }

    @Test
    void overridingMethodInheritsTheAnnotation() {
        LockOperation operation = operation(Inheriting.class, Inheriting.class);
        assertThat(operation).isNotNull();
        assertThat(operation.name()).isEqualTo("plain");
    }

    @Test
    void classWithoutAnnotationHasNoOperation() {
        assertThat(operation(None.class, None.class)).isNull();
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
