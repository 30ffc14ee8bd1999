package io.rowlock.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;

import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RegistryKeyTests {
    private final RowlockLockRegistry registry = new RowlockLockRegistry(mock(LockClient.class));

    @Test
    void textThatIsTheSameInEachProcessIsTheKey() {
        UUID id = UUID.fromString("00000000-0000-0001-0000-000000000002");

        assertThat(List.of(key("order"), key(42L), key(id), key(TimeUnit.DAYS), key('c')))
                .containsExactly(
                        "integration:order",
                        "integration:42",
                        "integration:00000000-0000-0001-0000-000000000002",
                        "integration:DAYS",
                        "integration:c");
    }

    @Test
    void objectWhoseTextMayDifferIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.obtain(new Object()))
                .withMessageContaining("java.lang.Object");
        assertThatIllegalArgumentException().isThrownBy(() -> registry.obtain(new byte[1]));
    }

    @Test
    void longPathsHaveShortAndDifferentKeys() {
        String path = "/data/" + "ä".repeat(200);

        assertThat(key(path).getBytes(UTF_8)).hasSizeLessThan(100);
        assertThat(key(path)).startsWith("integration:sha256:").isNotEqualTo(key(path + "b"));
        assertThat(key("a".repeat(188))).isEqualTo("integration:" + "a".repeat(188));
        assertThat(key("a".repeat(189))).startsWith("integration:sha256:");
    }

    @Test
    void settingsBecomeTheRequest() {
        LockRequest request = registry.withRegion("files")
                .withStrategy("row-lock")
                .withoutRenewal(Duration.ofSeconds(5))
                .request("a");

        assertThat(request.keys()).containsExactly("files:a");
        assertThat(request.name()).isEqualTo("files");
        assertThat(request.strategy()).isEqualTo("row-lock");
        assertThat(request.ttl()).isEqualTo(Duration.ofSeconds(5));
        assertThat(request.renewal()).isFalse();
        assertThat(registry.request("a").renewal()).isNull();
        assertThat(registry.withTtl(Duration.ofSeconds(7)).request("a").ttl()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void badRegionAndStrategyTransactionAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.withRegion("a:b"))
                .withMessageContaining("a:b");
        assertThatIllegalArgumentException().isThrownBy(() -> registry.withRegion(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> registry.withRegion("r".repeat(51)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.withStrategy("transaction"))
                .withMessageContaining("unlock() cannot end them");
    }

    private String key(Object lockKey) {
        return registry.request(lockKey).keys().get(0);
    }
}
