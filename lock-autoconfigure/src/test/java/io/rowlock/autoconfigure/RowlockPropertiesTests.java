package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.annotation.OnBusy;
import io.rowlock.autoconfigure.RowlockProperties.RoleProperties;
import io.rowlock.client.lock.StaleReads;
import io.rowlock.interceptor.LockInterceptorSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.Configuration;

class RowlockPropertiesTests {
    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withUserConfiguration(Properties.class);

    @Test
    void defaultsAreTheDocumentedOnes() {
        runner.run(context -> {
            RowlockProperties properties = context.getBean(RowlockProperties.class);
            assertThat(properties.enabled()).isTrue();
            assertThat(properties.strategy()).isNull();
            assertThat(properties.ttl()).isEqualTo(Duration.ofSeconds(30));
            assertThat(properties.waitTime()).isEqualTo(Duration.ofSeconds(10));
            assertThat(properties.keyPrefix()).isEmpty();
            assertThat(properties.owner()).isNull();
            assertThat(properties.renewal()).isEqualTo(new RowlockProperties.Renewal(true, null));
            assertThat(properties.fencing().transactional()).isTrue();
            assertThat(properties.cluster().writers()).isEqualTo(RowlockProperties.Cluster.Writers.AUTO);
            assertThat(properties.schema())
                    .isEqualTo(new RowlockProperties.Schema(RowlockProperties.Schema.Initialize.ALWAYS, "rowlock_"));
            assertThat(properties.pool())
                    .isEqualTo(new RowlockProperties.Pool(8, Duration.ofSeconds(2), Duration.ofSeconds(3)));
            assertThat(properties.aop().order()).isEqualTo(Integer.MAX_VALUE - 1000);
        });
    }

    @Test
    void everyPropertyIsBound() {
        runner.withPropertyValues(
                        "rowlock.enabled=false",
                        "rowlock.strategy=row-lock",
                        "rowlock.ttl=1m",
                        "rowlock.wait-time=0s",
                        "rowlock.key-prefix=shop:",
                        "rowlock.owner=me",
                        "rowlock.renewal.enabled=false",
                        "rowlock.renewal.interval=3s",
                        "rowlock.fencing.transactional=false",
                        "rowlock.fencing.uncovered=refuse",
                        "rowlock.handoff.max=0",
                        "rowlock.handoff.max-time=20ms",
                        "rowlock.fencing.stale-snapshot=warn",
                        "rowlock.cluster.writers=one",
                        "rowlock.schema.initialize=validate",
                        "rowlock.schema.table-prefix=x_",
                        "rowlock.pool.size=2",
                        "rowlock.pool.connection-timeout=500ms",
                        "rowlock.pool.query-timeout=1100ms",
                        "rowlock.datasource.url=jdbc:mysql://h/db?password=x",
                        "rowlock.datasource.username=u",
                        "rowlock.datasource.password=secret",
                        "rowlock.datasource.driver-class-name=com.mysql.cj.jdbc.Driver",
                        "rowlock.log.mode=off",
                        "rowlock.log.retention=1d",
                        "rowlock.cleanup.interval=5m",
                        "rowlock.cleanup.keep-idle=2h",
                        "rowlock.leader.roles.night-shift.ttl=7s",
                        "rowlock.leader.roles.night-shift.interval=2s",
                        "rowlock.leader.roles.night-shift.enabled=false",
                        "rowlock.leader.roles.other.enabled=true",
                        "rowlock.locks.nightly-report.ttl=2m",
                        "rowlock.locks[Jobs.nightly].wait-time=0s",
                        "rowlock.locks[Jobs.nightly].strategy=unique-key",
                        "rowlock.locks[Jobs.nightly].hold-at-least=1m",
                        "rowlock.locks[Jobs.nightly].on-busy=skip",
                        "rowlock.locks[Jobs.nightly].permits=4",
                        "rowlock.locks[Jobs.nightly].stale-snapshot=allow",
                        "rowlock.web.busy-status=423",
                        "rowlock.startup.timeout=5s",
                        "rowlock.aop.order=7",
                        "rowlock.aop.mode=aspectj")
                .run(context -> assertThat(context.getBean(RowlockProperties.class))
                        .isEqualTo(new RowlockProperties(
                                false,
                                "row-lock",
                                Duration.ofMinutes(1),
                                Duration.ZERO,
                                "shop:",
                                "me",
                                new RowlockProperties.Renewal(false, Duration.ofSeconds(3)),
                                new RowlockProperties.Fencing(
                                        false,
                                        StaleReads.Policy.WARN,
                                        RowlockProperties.Fencing.Uncovered.REFUSE,
                                        List.of()),
                                new RowlockProperties.Handoff(0, Duration.ofMillis(20)),
                                new RowlockProperties.Cluster(RowlockProperties.Cluster.Writers.ONE),
                                new RowlockProperties.Schema(RowlockProperties.Schema.Initialize.VALIDATE, "x_"),
                                new RowlockProperties.Pool(2, Duration.ofMillis(500), Duration.ofSeconds(2)),
                                new RowlockProperties.Datasource(
                                        "jdbc:mysql://h/db?password=x", "u", "secret", "com.mysql.cj.jdbc.Driver"),
                                new RowlockProperties.Log(RowlockProperties.Log.Mode.OFF, Duration.ofDays(1)),
                                new RowlockProperties.Cleanup(Duration.ofMinutes(5), Duration.ofHours(2)),
                                new RowlockProperties.Leader(Map.of(
                                        "night-shift",
                                        new RoleProperties(Duration.ofSeconds(7), Duration.ofSeconds(2), false),
                                        "other",
                                        new RoleProperties(Duration.ofSeconds(5), Duration.ofSeconds(1), true))),
                                Map.of(
                                        "nightly-report",
                                        new LockInterceptorSettings.OfName(
                                                Duration.ofMinutes(2), null, null, null, null, null, null),
                                        "Jobs.nightly",
                                        new LockInterceptorSettings.OfName(
                                                null,
                                                Duration.ZERO,
                                                "unique-key",
                                                Duration.ofMinutes(1),
                                                OnBusy.SKIP,
                                                4,
                                                StaleReads.Policy.ALLOW)),
                                new RowlockProperties.Web(423),
                                new RowlockProperties.Startup(Duration.ofSeconds(5)),
                                new RowlockProperties.Aop(7, AdviceMode.ASPECTJ))));
    }

    @ParameterizedTest
    @CsvSource({
        "rowlock.ttl, 0s, longer than 0",
        "rowlock.ttl, 366d, at most 365d",
        "rowlock.wait-time, -1s, 0s to 365d",
        "rowlock.wait-time, 366d, 0s to 365d",
        "rowlock.owner, ' ', 1 to 100",
        "rowlock.renewal.interval, 9ms, 10ms to 365d",
        "rowlock.renewal.interval, 30s, shorter than rowlock.ttl",
        "rowlock.renewal.interval, 1h, value '1h' is invalid",
        "rowlock.handoff.max, -1, 0 to 1022",
        "rowlock.handoff.max, 1023, 0 to 1022",
        "rowlock.handoff.max-time, -1ms, 0s to 1h",
        "rowlock.handoff.max-time, 61m, 0s to 1h",
        "rowlock.schema.table-prefix, a-b, 'small letters, digits and underscores'",
        "rowlock.schema.table-prefix, a123456789012345678901234567890, 1 to 30",
        "rowlock.schema.table-prefix, 1abc_, no digit first",
        "rowlock.schema.table-prefix, ABC_, small letters",
        "rowlock.pool.size, 0, 1 to 1000",
        "rowlock.pool.size, 1001, 1 to 1000",
        "rowlock.pool.connection-timeout, 61m, 250ms to 1h",
        "rowlock.pool.query-timeout, 61m, 1s to 1h",
        "rowlock.pool.connection-timeout, 249ms, 250ms to 1h",
        "rowlock.pool.query-timeout, 999ms, 1s to 1h",
        "rowlock.log.retention, 999ms, 1s to 3650d",
        "rowlock.log.retention, 3651d, 1s to 3650d",
        "rowlock.cleanup.interval, 999ms, 1s to 3650d",
        "rowlock.cleanup.interval, 3651d, 1s to 3650d",
        "rowlock.cleanup.keep-idle, 999ms, 1s to 3650d",
        "rowlock.cleanup.keep-idle, 3651d, 1s to 3650d",
        "rowlock.locks.a.ttl, 0s, longer than 0",
        "rowlock.locks.a.ttl, 366d, at most 365d",
        "rowlock.locks.a.wait-time, -1s, 0s to 365d",
        "rowlock.locks.a.hold-at-least, 366d, 0s to 365d",
        "rowlock.locks[a.b].hold-at-least, -1s, 0s to 365d",
        "rowlock.locks.a.permits, 0, 1 to 1000",
        "rowlock.locks.a.permits, 1001, 1 to 1000",
        "rowlock.startup.timeout, 999ms, 1s to 1h",
        "rowlock.startup.timeout, 61m, 1s to 1h",
        "rowlock.web.busy-status, 200, '400 to 599, or 0'",
    })
    void badValueIsRefusedWithItsNameAndLimit(String property, String value, String limit) {
        assertRefused(property, value, limit);
    }

    @Test
    void tooLongTextsAreRefused() {
        assertRefused("rowlock.owner", "o".repeat(101), "101 characters");
        assertRefused("rowlock.key-prefix", "é".repeat(101), "202 bytes");
    }

    private void assertRefused(String property, String value, String limit) {
        runner.withUserConfiguration(RowlockInterceptorAutoConfiguration.class)
                .withPropertyValues(property + "=" + value)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining(property)
                        .hasMessageContaining(limit)
                        .extracting("name")
                        .isEqualTo(property));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(RowlockProperties.class)
    static class Properties {}
}
