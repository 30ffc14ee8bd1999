package io.rowlock.benchmark.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTests {

    private static Settings of(Map<String, String> properties) {
        return Settings.of(properties::get);
    }

    @Test
    void everythingRunsAndIsPublishedByDefault() {
        Settings settings = of(Map.of("benchmark.workloads", "", "benchmark.redis.url", " "));

        assertThat(settings.publish()).isTrue();
        assertThat(settings.redisUrl()).isNull();
        assertThat(Workloads.chosen(settings)).extracting(Workload::name).contains("handoff", "uncontended-32");
    }

    @Test
    void partsAreNotPublished() {
        assertThat(of(Map.of("benchmark.workloads", "handoff")).publish()).isFalse();
        assertThat(of(Map.of("benchmark.contenders", "redisson")).publish()).isFalse();
        assertThat(of(Map.of("benchmark.seconds", "0.5")).publish()).isFalse();
        assertThat(of(Map.of("benchmark.rounds", "9")).publish()).isFalse();
        assertThat(of(Map.of("benchmark.rounds", "9", "benchmark.publish", "true"))
                        .publish())
                .isTrue();
    }

    @Test
    void chosenWorkloadsRunInTheirUsualOrder() {
        Settings settings = of(Map.of("benchmark.workloads", "handoff, uncontended-1", "benchmark.seconds", "2"));

        assertThat(Workloads.chosen(settings)).extracting(Workload::name).containsExactly("uncontended-1", "handoff");
        assertThat(settings.round()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void whatThereIsNotIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Workloads.chosen(of(Map.of("benchmark.workloads", "handof"))))
                .withMessageContaining("handof");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(Map.of("benchmark.contenders", "raw")))
                .withMessageContaining("raw-lease");
        assertThatIllegalArgumentException().isThrownBy(() -> of(Map.of("benchmark.rounds", "0")));
        assertThatIllegalArgumentException().isThrownBy(() -> of(Map.of("benchmark.seconds", "0")));
    }
}
