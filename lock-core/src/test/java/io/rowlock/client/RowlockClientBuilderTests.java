package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.LockClientSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowlockClientBuilderTests {
    private static LockClientSettings settings(RowlockClientBuilder builder) {
        try (RowlockClient client = builder.build()) {
            return client.settings();
        }
    }

    @Test
    void everythingButTheStoresHasADefault() {
        LockClientSettings settings =
                settings(RowlockClient.builder(new SteeredStore("first"), new SteeredStore("second")));
        assertThat(settings)
                .isEqualTo(new LockClientSettings(
                        "first",
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(10),
                        "",
                        settings.owner(),
                        true,
                        null,
                        new Handoff(100, Duration.ofMillis(100))));
        assertThat(settings(RowlockClient.builder(new SteeredStore())).owner()).isNotEqualTo(settings.owner());
    }

    @Test
    void everySettingCanBeChosen() {
        LockClientSettings chosen = new LockClientSettings(
                "second",
                Duration.ofSeconds(7),
                Duration.ofSeconds(8),
                "app:",
                "owner",
                false,
                Duration.ofSeconds(2),
                new Handoff(3, Duration.ofMillis(4)));
        assertThat(settings(RowlockClient.builder(List.of(new SteeredStore("first"), new SteeredStore("second")))
                        .strategy("second")
                        .ttl(Duration.ofSeconds(7))
                        .waitTime(Duration.ofSeconds(8))
                        .keyPrefix("app:")
                        .owner("owner")
                        .renewal(false)
                        .renewalInterval(Duration.ofSeconds(2))
                        .handoff(new Handoff(3, Duration.ofMillis(4)))))
                .isEqualTo(chosen);
    }

    @Test
    void clientWithoutAStoreIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RowlockClient.builder())
                .withMessageContaining("at least one store");
    }
}
