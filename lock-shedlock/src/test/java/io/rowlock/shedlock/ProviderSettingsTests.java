package io.rowlock.shedlock;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class ProviderSettingsTests {
    private final LockClient client = mock(LockClient.class);
    private final RowlockLockProvider provider = new RowlockLockProvider(client);

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
    void nameForgesNoLine(CapturedOutput output) {
        provider.request(LockProviderContract.job("report\nWARN forged", ofMillis(5), ofMillis(0)));

        assertThat(output).contains("lockAtMostFor of report\\nWARN forged is").doesNotContain("\nWARN forged");
    }

    @Test
    void strategyTransactionIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> provider.withStrategy("transaction"))
                .withMessageContaining("unlock() cannot end them");
    }

    /** Logs it: thrown, it would hide what the job has thrown. */
    @Test
    void unlockThatFailsIsNotThrown() {
        HeldLock held = mock(HeldLock.class);
        when(held.key()).thenReturn("report");
        doThrow(new LockStoreException("no answer", null)).when(held).close();

        new RenewedLock(provider, LockProviderContract.job("report", ofSeconds(90), ofSeconds(2)), held).unlock();
        verify(held).close();
    }

    @Test
    void failureOfTheStoreIsNotALockThatAnotherHolds() {
        when(client.tryAcquireAny(any())).thenThrow(new LockStoreException("no answer", null));

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> provider.lock(LockProviderContract.job("report", ofSeconds(90), ofSeconds(2))));
    }
}
