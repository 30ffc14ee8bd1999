package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

class RowlockRedisPropertiesTests {
    private final ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Bound.class);

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(RowlockRedisProperties.class)
    static class Bound {}

    @Test
    void transactionsAreFencedAtTheirBeginUnlessSaidOtherwise() {
        runner.run(context -> {
            RowlockRedisProperties properties = context.getBean(RowlockRedisProperties.class);
            assertThat(properties.fence()).isEqualTo(RowlockRedisProperties.Fence.BEGIN);
            assertThat(properties.keepIdle()).isEqualTo(Duration.ofHours(1));
        });
    }

    @ParameterizedTest
    @CsvSource({"begin, BEGIN", "Commit, COMMIT", "NONE, NONE"})
    void fenceIsBound(String value, RowlockRedisProperties.Fence fence) {
        runner.withPropertyValues("rowlock.redis.fence=" + value)
                .run(context -> assertThat(
                                context.getBean(RowlockRedisProperties.class).fence())
                        .isEqualTo(fence));
    }

    @ParameterizedTest
    @CsvSource({
        "rowlock.redis.fence, sometimes",
        "rowlock.redis.promise, 1s",
        "rowlock.redis.heartbeat, 1ms",
        "rowlock.redis.key-prefix, a{b"
    })
    void unusableValueIsNamed(String property, String value) {
        runner.withPropertyValues(property + "=" + value)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(property));
    }
}
