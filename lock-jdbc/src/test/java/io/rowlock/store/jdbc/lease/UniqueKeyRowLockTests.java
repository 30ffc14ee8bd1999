package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.async;
import static io.rowlock.store.jdbc.lease.LeaseTable.attempt;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.granted;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static io.rowlock.store.jdbc.lease.UniqueKeyTable.acquire;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.Stopwatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to unique keys while other transactions have their rows locked, or insert and delete them. */
@OnEachServer(dependsOnServer = true, mariaDb118 = true)
class UniqueKeyRowLockTests extends UniqueKeyContract {

    @ParameterizedTest
    @ValueSource(strings = {"LOCK IN SHARE MODE", "FOR UPDATE"})
    void lockedRowIsBusyThoughItRanOutAndItsReleaseAnError(String how) {
        Lease expired = acquire(store, freshKey());
        table.expire(expired);
        try (LeaseTable.OpenTransaction other = server.begin()) {
            UniqueKeyTable.lockRow(other, expired.key(), how);
            assertThat(attempt(store, expired.key())).isEqualTo(new Attempt.Busy(Optional.empty()));
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> store.release(expired))
                    .withMessageContaining("another transaction");
        }
        granted(attempt(store, expired.key()));
    }

    @Test
    void lockedRowOfALiveKeyIsBusyAtOnceAndTellsItsHolder() {
        Lease live = acquire(store, freshKey());
        try (LeaseTable.OpenTransaction other = server.begin()) {
            UniqueKeyTable.lockRow(other, live.key(), "FOR UPDATE");
            Stopwatch time = Stopwatch.start();
            assertThat(((Attempt.Busy) attempt(UniqueKeyTable.store(patientPool()), live.key())).holder())
                    .isPresent();
            assertThat(time.taken()).isLessThan(Duration.ofSeconds(8));
        }
    }

    @Test
    void waitingForALockedRowKeepsNoOtherKeyOfItsStripe() throws Exception {
        Lease expired = acquire(store, freshKey());
        table.expire(expired);
        HikariDataSource patient = patientPool();
        long session = LeaseTable.connectionId(patient);
        CompletableFuture<Attempt> waiting;
        try (LeaseTable.OpenTransaction other = server.begin()) {
            UniqueKeyTable.lockRow(other, expired.key(), "FOR UPDATE");
            waiting = async(() -> attempt(UniqueKeyTable.store(patient), expired.key()));
            server.awaitLockWait(session);
            acquire(store, UniqueKeyTable.neighbour(expired.key()));
        }
        granted(waiting.get(20, TimeUnit.SECONDS));
    }

    @Test
    void releaseThatHasNotCommittedYetKeepsTheKeyBusyAndIsNotWaitedFor() {
        Lease held = acquire(store, freshKey());
        try (LeaseTable.OpenTransaction releasing = server.begin()) {
            delete(releasing, held.key());
            assertThat(attempt(store, held.key())).isInstanceOf(Attempt.Busy.class);
            acquire(store, UniqueKeyTable.neighbour(held.key()));
        }
        assertThat(attempt(store, held.key())).isInstanceOf(Attempt.Busy.class);
        assertThat(store.release(held)).isTrue();
    }

    private static void delete(LeaseTable.OpenTransaction transaction, String key) {
        assertThat(transaction.jdbc().update("DELETE FROM rowlock_unique_key WHERE lock_key = ?", (Object)
                        UniqueKeyTable.bytes(key)))
                .isOne();
    }

    /** It counts from before the statement was sent, as the caller does, so waiting makes it shorter and never longer. */
    @Test
    void leaseThatHadToWaitEndsATtlAfterItWasAskedFor() throws Exception {
        String key = freshKey();
        store.release(acquire(store, key));
        HikariDataSource patient = patientPool();
        long session = LeaseTable.connectionId(patient);
        CompletableFuture<Attempt> waiting;
        try (LeaseTable.OpenTransaction other = server.begin()) {
            UniqueKeyTable.lockStripe(other, key);
            waiting = async(() -> attempt(UniqueKeyTable.store(patient), key));
            server.awaitLockWait(session);
            Thread.sleep(300); // what it must not gain
        }
        granted(waiting.get(20, TimeUnit.SECONDS));
        Duration left = store.inspection()
                .orElseThrow()
                .holder(key, LockMode.EXCLUSIVE)
                .orElseThrow()
                .remaining();
        assertThat(left).isLessThanOrEqualTo(LeaseTable.TTL.minusMillis(300));
    }

    @Test
    void expiredRowThatIsRenewedMeanwhileIsNotRemoved() throws Exception {
        Lease lease = acquire(store, freshKey());
        HikariDataSource patient = patientPool();
        long session = LeaseTable.connectionId(patient);
        CompletableFuture<Attempt> waiting;
        table.expire(lease);
        try (LeaseTable.OpenTransaction other = server.begin()) {
            UniqueKeyTable.lockRow(other, lease.key(), "FOR UPDATE");
            waiting = async(() -> attempt(UniqueKeyTable.store(patient), lease.key()));
            server.awaitLockWait(session);
            other.jdbc()
                    .update(
                            "UPDATE rowlock_unique_key SET expires_at = UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE"
                                    + " WHERE lock_key = ?",
                            (Object) UniqueKeyTable.bytes(lease.key()));
            other.jdbc().execute("COMMIT");
        }
        assertThat(waiting.get(20, TimeUnit.SECONDS)).isInstanceOf(Attempt.Busy.class);
        assertThat(store.renew(List.of(lease), LeaseTable.TTL)).containsEntry(lease, Renewal.RENEWED);
    }

    @Test
    void renewalGoesAroundALockedRowAndDoesNotCallItLost() {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            leases.add(acquire(store, freshKey()));
        }
        Lease locked = leases.get(2);
        Lease lost = leases.get(4);
        table.expire(lost);
        try (LeaseTable.OpenTransaction other = server.begin()) {
            UniqueKeyTable.lockRow(other, locked.key(), "LOCK IN SHARE MODE");
            Map<Lease, Renewal> outcome = store.renew(leases, Duration.ofMinutes(10));
            assertThat(outcome)
                    .hasSize(5)
                    .containsEntry(leases.get(0), Renewal.RENEWED)
                    .containsEntry(leases.get(1), Renewal.RENEWED)
                    .containsEntry(locked, Renewal.UNKNOWN)
                    .containsEntry(leases.get(3), Renewal.RENEWED)
                    .containsEntry(lost, Renewal.LOST);
        }
        assertThat(store.renew(List.of(locked), LeaseTable.TTL)).containsEntry(locked, Renewal.RENEWED);
    }

    @Test
    void killedSessionIsAnErrorAndNeverBusy() throws Exception {
        HikariDataSource pool = patientPool();
        long session = LeaseTable.connectionId(pool);
        String key = freshKey();
        store.release(acquire(store, key));
        try (LeaseTable.OpenTransaction other = server.begin()) {
            UniqueKeyTable.lockStripe(other, key);
            CompletableFuture<Attempt> attempt = async(() -> attempt(UniqueKeyTable.store(pool), key));
            server.awaitLockWait(session);
            server.jdbc().execute("KILL " + session);
            assertThatThrownBy(() -> attempt.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(UncertainOutcomeException.class);
        }
        store.abandon(request(key, LockMode.EXCLUSIVE, LeaseTable.TTL));
        granted(attempt(UniqueKeyTable.store(pool), key));
    }
}
