package io.rowlock.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.rowlock.LockClient;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.OnBusy;
import io.rowlock.autoconfigure.application.TestApplication;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What a developer reads when an application with a mistake is started. No database is asked. */
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("unused") // methods that no proxy can intercept
class StartUpFailureTests {
    private static final String LONG = "0123456789012345678901234567890123456789012345678901234567890123";
    private static final String NAME_256 = LONG + LONG + LONG + LONG;

    @Test
    void methodThatNoProxyCanInterceptIsNamed(CapturedOutput output) {
        failsToStart(output, FinalMethod.class, "FinalMethod.run()", "would run without its lock", "is final");
        failsToStart(output, PrivateMethod.class, "PrivateMethod.run()", "would run without its lock", "is private");
        failsToStart(output, StaticMethod.class, "StaticMethod.run()", "would run without its lock", "is static");
    }

    @Test
    void skippingAPrimitiveIsExplained(CapturedOutput output) {
        failsToStart(output, SkippedPrimitive.class, "SkippedPrimitive.run()", "SKIP", "primitive type \"int\"");
    }

    @Test
    void unknownStrategyIsNamedWithTheKnownOnes(CapturedOutput output) {
        failsToStart(output, UnknownStrategy.class, "UnknownStrategy.run()", "\"paper\"", "lease");
    }

    @Test
    void badDurationsAreNamed(CapturedOutput output) {
        failsToStart(output, BadDuration.class, "BadDuration.run()", "waitTime \"soon\" is not a duration", "30s");
        failsToStart(output, ShortTtl.class, "ShortTtl.run()", "ttl is 999ms", "takes 1s to");
        failsToStart(output, Unresolved.class, "Unresolved.run()", "${no.such.property}");
    }

    @Test
    void missingFallbackIsNamedWithItsSignature(CapturedOutput output) {
        failsToStart(output, MissingFallback.class, "MissingFallback.run(long)", "\"gone\"", "gone(long)");
    }

    @Test
    void tooLongKeyIsNamedWithItsLengthAndTheLimit(CapturedOutput output) {
        failsToStart(output, LongKey.class, "LongKey.run()", "256 bytes", "255");
    }

    @Test
    void factoryMethodIsNoWayAround(CapturedOutput output) {
        failsToStart(output, Factory.class, "FinalMethod.run()", "is final");
    }

    @Test
    void annotationWithoutADataSourceIsExplained(CapturedOutput output) {
        assertThatException()
                .isThrownBy(TestApplication.withoutDatabase(Right.class)
                        .with(
                                "spring.autoconfigure.exclude",
                                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")::start);
        assertThat(output)
                .contains("APPLICATION FAILED TO START", "[right]", "there is no LockClient")
                .contains("spring.datasource.url", "rowlock.enabled=false");
    }

    @Test
    void lockClientWithoutADataSourceIsExplained(CapturedOutput output) {
        assertThatException()
                .isThrownBy(TestApplication.withoutDatabase(NeedsClient.class)
                        .with(
                                "spring.autoconfigure.exclude",
                                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")::start);
        assertThat(output)
                .contains("APPLICATION FAILED TO START", "A bean needs a LockClient, but there is none")
                .contains("spring.datasource.url");
    }

    @Test
    void severalDataSourcesAreNamed(CapturedOutput output) {
        assertThatException().isThrownBy(application(TwoDataSources.class)::start);
        assertThat(output)
                .contains("APPLICATION FAILED TO START", "There are several DataSources")
                .contains("customers", "orders", "@Primary", "rowlock.datasource.url");
    }

    @ParameterizedTest
    @CsvSource({
        "rowlock.ttl, soon",
        "rowlock.ttl, 0s",
        "rowlock.wait-time, -1s",
        "rowlock.strategy, paper",
        "rowlock.aop.order, first",
        "rowlock.renewal.interval, 1h",
        "rowlock.schema.table-prefix, a-b",
        "rowlock.schema.initialize, maybe"
    })
    void wrongPropertyIsNamedWithItsValue(String property, String value, CapturedOutput output) {
        assertThatException().isThrownBy(application(Right.class).with(property, value)::start);
        assertThat(output).contains("APPLICATION FAILED TO START", property, value);
    }

    @Test
    void withoutAMistakeItStarts() {
        assertThatNoException()
                .isThrownBy(() -> application(Right.class).start().close());
    }

    @Test
    void roleThatNoMethodHasIsNamed(CapturedOutput output) {
        application(Right.class)
                .with("rowlock.leader.roles.bos.ttl", "7s")
                .with("logging.level.io.rowlock", "INFO")
                .start()
                .close();
        assertThat(output)
                .contains(
                        "rowlock.leader.roles.bos are for a role that only code can ask for: no @LeaderOnly method has it");
    }

    private static void failsToStart(CapturedOutput output, Class<?> bean, String... parts) {
        int before = output.getAll().length();
        assertThatException().isThrownBy(application(bean)::start);
        assertThat(output.getAll().substring(before))
                .contains("APPLICATION FAILED TO START", "Description:", "A lock annotation cannot be used", "Action:")
                .contains(parts);
    }

    private static TestApplication application(Class<?> bean) {
        return TestApplication.withoutDatabase(bean)
                .with("spring.datasource.url", "jdbc:mysql://127.0.0.1:1/test")
                .with("rowlock.schema.initialize", "never");
    }

    static class Right {
        @DistributedLock("right")
        public void run() {}
    }

    static class NeedsClient {
        NeedsClient(LockClient client) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSources {
        @Bean
        DataSource customers() {
            return new DriverManagerDataSource("jdbc:mysql://127.0.0.1:1/customers");
        }

        @Bean
        DataSource orders() {
            return new DriverManagerDataSource("jdbc:mysql://127.0.0.1:1/orders");
        }
    }

    static class FinalMethod {
        @DistributedLock("x")
        public final void run() {}
    }

    static class PrivateMethod {
        @DistributedLock("x")
        private void run() {}
    }

    static class StaticMethod {
        @DistributedLock("x")
        public static void run() {}
    }

    static class SkippedPrimitive {
        @DistributedLock(name = "x", onBusy = OnBusy.SKIP)
        public int run() {
            return 1;
        }
    }

    static class UnknownStrategy {
        @DistributedLock(name = "x", strategy = "paper")
        public void run() {}
    }

    static class BadDuration {
        @DistributedLock(name = "x", waitTime = "soon")
        public void run() {}
    }

    static class ShortTtl {
        @DistributedLock(name = "x", ttl = "999ms")
        public void run() {}
    }

    static class Unresolved {
        @DistributedLock(name = "x", ttl = "${no.such.property}")
        public void run() {}
    }

    static class MissingFallback {
        @DistributedLock(name = "x", fallback = "gone")
        public void run(long id) {}
    }

    static class LongKey {
        @DistributedLock(NAME_256)
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Factory {
        @Bean
        FinalMethod made() {
            return new FinalMethod();
        }
    }
}
