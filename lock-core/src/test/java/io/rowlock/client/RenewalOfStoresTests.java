package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Two stores of one process, of which one is silent. */
class RenewalOfStoresTests {
    private static final Duration TTL = Duration.ofMinutes(1);

    @Test
    void storeThatIsSilentHoldsUpNoRenewalOfAnother() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        SteeredStore silent = new SteeredStore("silent", LockMode.values());
        silent.renewing = () -> {
            asked.countDown();
            await().forever().until(() -> over.getCount() == 0);
        };
        SteeredStore alive = new SteeredStore("alive", LockMode.values());
        LockRequest request = LockRequest.exclusive("a").withTtl(TTL);
        try (RowlockClient client = RowlockClient.builder(List.of(silent, alive))
                        .strategy("alive")
                        .renewalInterval(Duration.ofMillis(200))
                        .build();
                HeldLock unheard = client.acquire(request.withStrategy("silent"))) {
            asked.await();
            HeldLock held = client.acquire(request);
            await().atMost(Duration.ofMinutes(1)).until(() -> alive.renewals() >= 2);
            assertThat(held.isLost()).isFalse();
            assertThat(unheard.key()).isEqualTo("a");
            over.countDown();
        } finally {
            over.countDown();
        }
    }
}
