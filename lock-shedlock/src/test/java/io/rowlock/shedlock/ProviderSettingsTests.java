package io.rowlock.shedlock;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;

import io.rowlock.LockClient;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import org.junit.jupiter.api.Test;

class ProviderSettingsTests {
    private final RowlockLockProvider provider = new RowlockLockProvider(mock(LockClient.class));

    @Test
    void configurationBecomesRequest() {
        LockRequest request = provider.withStrategy("row-lock")
                .withRenewal(false)
                .request(LockProviderContract.job("report", ofSeconds(90), ofSeconds(2)));

        assertThat(request.keys()).containsExactly("report");
        assertThat(request.mode()).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(request.ttl()).isEqualTo(ofSeconds(90));
        assertThat(request.holdAtLeast()).isEqualTo(ofSeconds(2));
        assertThat(request.strategy()).isEqualTo("row-lock");
        assertThat(request.renewal()).isFalse();
        assertThat(request.name()).isEqualTo("shedlock");
    }

    @Test
    void unsetSettingsAreTheClients() {
        LockRequest request = provider.request(LockProviderContract.job("report", ofMillis(1500), ofMillis(0)));

        assertThat(request.ttl()).isEqualTo(ofMillis(1500));
        assertThat(request.strategy()).isNull();
        assertThat(request.renewal()).isNull();
    }

    @Test
    void strategyTransactionIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.withStrategy("transaction"))
                .withMessageContaining("unlock() cannot end them");
    }
}
