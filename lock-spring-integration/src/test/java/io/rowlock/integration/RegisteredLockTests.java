package io.rowlock.integration;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** The ttls and waits that reach the client. */
@SuppressWarnings("LockNotBeforeTry") // no lock is held
class RegisteredLockTests {
    private final LockClient client = mock(LockClient.class);
    private final Lock view = mock(Lock.class);
    private final HeldLock nested = mock(HeldLock.class);
    private final RowlockLockRegistry registry = new RowlockLockRegistry(client).withTtl(ofSeconds(20));

    private LockRequest withTtl(Duration ttl) {
        return registry.request("a").withTtl(ttl);
    }

    private void hold(Long token, Long... later) {
        when(client.isAcquiredByCurrentThread(registry.request("a"))).thenReturn(true);
        when(client.tryAcquire(registry.request("a"))).thenReturn(Optional.of(nested));
        when(nested.fencingToken()).thenReturn(token, later);
    }

    @Test
    void ttlOfLockReachesTheClient() {
        when(client.lock(withTtl(ofSeconds(7)))).thenReturn(view);

        registry.obtain("a").lock(ofSeconds(7));
        verify(view).lock();
    }

    @Test
    void waitTimeAndTtlOfTryLockReachTheClient() throws Exception {
        when(client.lock(withTtl(ofSeconds(7)))).thenReturn(view);

        registry.obtain("a").tryLock(ofMillis(300), ofSeconds(7));
        verify(view).tryLock(300_000_000, NANOSECONDS);
    }

    @Test
    void lockIsRenewedForItsTtlOrForTheGivenOne() {
        hold(5L);

        registry.renewLock("a");
        verify(nested).extend();
        registry.renewLock("a", ofSeconds(40));
        verify(nested).extend(ofSeconds(40));
    }

    @Test
    void keyForgesNoLine() {
        String key = "a\nWARN forged";
        assertThat(registry.obtain(key)).hasToString("exclusive lock of \"integration:a\\nWARN forged\"");
        LockRequest request = registry.request(key);
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> registry.renewLock(key))
                .withMessageContaining("integration:a\\nWARN forged\"");
        when(client.isAcquiredByCurrentThread(request)).thenReturn(true);
        when(client.tryAcquire(request)).thenReturn(Optional.of(nested));
        when(nested.fencingToken()).thenReturn(5L, 6L);
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> registry.renewLock(key))
                .withMessageContaining("integration:a\\nWARN forged\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.withRegion("a:\nWARN forged"))
                .withMessageContaining("a:\\nWARN forged\"");
    }

    @Test
    void lockThatTheThreadDoesNotHaveIsNotAcquired() {
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> registry.renewLock("a"))
                .withMessageContaining("own");
        verify(client, never()).tryAcquire(any());
        verify(client, never()).tryAcquireAny(any());
    }

    /** Tells a renewal from a lock that was acquired anew in its place. */
    @Test
    void lockThatExpiresBeforeItsRenewalIsNotRenewed() {
        hold(5L, 6L);

        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(() -> registry.renewLock("a"))
                .withMessageContaining("before it was renewed");
        verify(nested, times(2)).close();
    }
}
