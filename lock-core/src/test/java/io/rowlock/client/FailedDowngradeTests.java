package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock that stays exclusive because the store did not make it shared. */
@Timeout(60)
class FailedDowngradeTests {
    private final SteeredStore store = new SteeredStore();

    @Test
    void isRenewedThoughItsRenewalFellDueMeanwhile() {
        store.downgrading = () -> {
            try {
                TimeUnit.MILLISECONDS.sleep(300); // three times the interval
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new LockStoreException("the database does not answer", null);
        };
        try (RowlockClient client = RowlockClient.builder(store)
                        .ttl(Duration.ofMinutes(10))
                        .renewalInterval(Duration.ofMillis(100))
                        .build();
                HeldLock writer = client.acquire(LockRequest.exclusive("a"));
                HeldLock reader = client.acquire(LockRequest.shared("a"))) {
            writer.close();
            long before = store.renewals();
            await().until(() -> store.renewals() > before);
            assertThat(reader.isHeld()).isTrue();
        }
    }

    @Test
    void interruptDoesNotMakeItAskTheStoreAllTheTime() {
        AtomicInteger questions = new AtomicInteger();
        store.downgrading = () -> {
            questions.incrementAndGet();
            Thread.currentThread().interrupt();
            throw new UncertainOutcomeException("the database does not answer", null);
        };
        try (RowlockClient client =
                RowlockClient.builder(store).ttl(Duration.ofSeconds(6)).build()) {
            HeldLock writer = client.acquire(LockRequest.exclusive("a"));
            HeldLock reader = client.acquire(LockRequest.shared("a"));
            writer.close(); // asks for three seconds at most
            assertThat(Thread.interrupted()).isTrue();
            assertThat(questions).hasValueBetween(1, 60);
            assertThat(reader.isLost()).isTrue();
            reader.close();
        }
    }

    @Test
    void isLostIfTheStoreDoesNotSayWhatItIsThoughThatCannotBeLogged() {
        store.downgrading = () -> {
            throw new UncertainOutcomeException("the database does not answer", null);
        };
        try (RowlockClient client =
                RowlockClient.builder(store).ttl(Duration.ofSeconds(6)).build()) {
            HeldLock writer = client.acquire(LockRequest.exclusive("a"));
            HeldLock reader = client.acquire(LockRequest.shared("a"));
            FullDisk.during("io.rowlock.client.lock.HeldLease", Level.DEBUG, () -> {
                Throwable unused = catchThrowable(writer::close);
            });
            assertThat(reader.isLost()).isTrue();
            reader.close();
        }
    }
}
