package io.rowlock.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link LockStore}. The author of a store extends this class and supplies the store.
 *
 * <p>Every test works on keys of its own, so the data may outlive the test. JUnit Jupiter and AssertJ must be on the
 * class path.
 */
public abstract class LockStoreContract extends SharedModeContract {

    @Test
    void storeSaysWhichModesItSupports() {
        assertThat(store.capabilities().modes().contains(LockMode.EXCLUSIVE)).isTrue();
        assertThat(store.capabilities().modes().contains(LockMode.SHARED)).isEqualTo(supportsShared());
        assertThat(store.capabilities().modes().contains(LockMode.PERMIT)).isEqualTo(supportsPermits());
    }

    @Test
    void freeKeyIsGranted() {
        Lease lease = acquire(store, key, ALICE);
        assertThat(lease.key()).isEqualTo(key);
        assertThat(lease.mode()).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(lease.owner()).isEqualTo(ALICE);
        assertThat(lease.fence()).isPositive();
    }

    @Test
    void secondAttemptIsRefusedAndNamesTheHolder() {
        acquire(store, key, ALICE);
        assertShown(busy(attempt(other, key, BOB)), ALICE);
    }

    @Test
    void ownerOfTheSameNameIsRefusedToo() {
        acquire(store, key, ALICE);
        busy(attempt(store, key, ALICE));
        busy(attempt(other, key, ALICE));
    }

    @Test
    void tokenGrowsWithEveryExclusiveLease() {
        List<Long> tokens = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            Lease released = acquire(store, key, ALICE);
            store.release(released);
            Lease expired = acquire(other, key, BOB);
            expire(expired);
            Lease takenOver = acquire(store, key, ALICE);
            expire(takenOver);
            tokens.addAll(List.of(released.fence(), expired.fence(), takenOver.fence()));
        }
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void nextLeasesTokenIsGreaterThanAllTheLastCouldHandOn() {
        Lease released = acquire(store, key, ALICE);
        long lastOfReleased = lastToken(store, released);
        store.release(released);
        Lease expired = acquire(other, key, BOB);
        assertThat(expired.fence()).isGreaterThan(lastOfReleased);
        long lastOfExpired = lastToken(other, expired);
        expire(expired);
        assertThat(acquire(store, key, ALICE).fence()).isGreaterThan(lastOfExpired);
    }

    @Test
    void releasedKeyIsFree() {
        assertThat(store.release(acquire(store, key, ALICE))).isTrue();
        assertThat(store.inspection().orElseThrow().holder(key, LockMode.EXCLUSIVE))
                .isEmpty();
        acquire(other, key, BOB);
    }

    @Test
    void secondReleaseSaysThatTheLeaseWasGone() {
        Lease lease = acquire(store, key, ALICE);
        assertThat(store.release(lease)).isTrue();
        assertThat(store.release(lease)).isFalse();
    }

    @Test
    void leaseTakenOverIsNotReleasedByItsFormerHolderThoughTheNameIsTheSame() {
        Lease former = acquire(store, key, ALICE);
        expire(former);
        Lease successor = acquire(other, key, ALICE);
        assertThat(store.release(former)).isFalse();
        assertThat(store.renew(List.of(former), TTL)).containsOnly(Map.entry(former, Renewal.LOST));
        busy(attempt(store, key, BOB));
        assertThat(other.release(successor)).isTrue();
    }

    @Test
    void expiredLeaseIsTakenOver() {
        expire(acquire(store, key, ALICE));
        assertThat(other.inspection().orElseThrow().holder(key, LockMode.EXCLUSIVE))
                .isEmpty();
        acquire(other, key, BOB);
        busy(attempt(store, key, ALICE));
    }

    @Test
    void expiredLeaseIsReportedToItsSuccessor() {
        assumeTrue(tellsExpired(), "nothing is left of its leases");
        assertThat(former(attempt(store, freshKey(), ALICE))).isEmpty();
        Lease dead = acquire(store, key, ALICE);
        expire(dead);
        Attempt attempt = attempt(other, key, BOB);
        assertThat(former(attempt)).hasValueSatisfying(expired -> {
            assertThat(expired.lease()).isEqualTo(dead);
            assertThat(expired.held()).isBetween(Duration.ZERO, TTL);
        });
        Lease next = granted(attempt);
        assertThat(other.release(next)).isTrue();
        assertThat(former(attempt(store, key, ALICE))).isEmpty();
    }

    @Test
    void leaseThatOnlyOutlastedItsUseIsNotReported() throws InterruptedException {
        assumeTrue(tellsExpired(), "nothing is left of its leases");
        Lease kept = acquire(store, key, ALICE);
        assertThat(store.release(kept, Duration.ofMillis(200))).isTrue();
        assertShown(busy(attempt(other, key, BOB)), ALICE);
        Attempt attempt = attempt(other, key, BOB);
        while (attempt instanceof Attempt.Busy) {
            Thread.sleep(20);
            attempt = attempt(other, key, BOB);
        }
        assertThat(former(attempt)).isEmpty();
    }

    @Test
    void expiredLeaseIsNeverRenewed() {
        Lease lease = acquire(store, key, ALICE);
        expire(lease);
        assertThat(store.renew(List.of(lease), TTL)).containsOnly(Map.entry(lease, Renewal.LOST));
        acquire(other, key, BOB);
    }

    @Test
    void releasedLeaseIsNeverRenewed() {
        Lease lease = acquire(store, key, ALICE);
        store.release(lease);
        assertThat(store.renew(List.of(lease), TTL)).containsOnly(Map.entry(lease, Renewal.LOST));
        assertThat(store.inspection().orElseThrow().holder(key, LockMode.EXCLUSIVE))
                .isEmpty();
    }

    @Test
    void renewedLeaseLastsForTheTtlFromNow() {
        Lease lease = acquire(store, key, ALICE);
        Duration longer = Duration.ofMinutes(10);
        assertThat(store.renew(List.of(lease), longer)).containsOnly(Map.entry(lease, Renewal.RENEWED));
        assertThat(remaining(lease)).isGreaterThan(longer.minusMinutes(1)).isLessThanOrEqualTo(longer);
    }

    /** One that was sent before, and whose answer was given up, may run after it. */
    @Test
    void renewalNeverMakesALeaseShorter() {
        Lease lease = acquire(store, key, ALICE);
        assertThat(store.renew(List.of(lease), Duration.ofMinutes(10))).containsEntry(lease, Renewal.RENEWED);
        assertThat(store.renew(List.of(lease), Duration.ofSeconds(5))).containsEntry(lease, Renewal.RENEWED);
        assertThat(remaining(lease)).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void renewingNothingIsHarmless() {
        assertThat(store.renew(List.of(), TTL)).isEmpty();
    }

    @Test
    void oneLostLeaseAmongManyLosesNoOther() {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            leases.add(acquire(store, freshKey(), ALICE));
        }
        Lease lost = leases.get(3);
        expire(lost);
        Map<Lease, Renewal> outcome = store.renew(leases, TTL);
        assertThat(outcome).hasSize(7).containsEntry(lost, Renewal.LOST);
        leases.remove(lost);
        assertThat(leases).allSatisfy(lease -> assertThat(outcome).containsEntry(lease, Renewal.RENEWED));
        assertThat(leases).allSatisfy(lease -> assertThat(store.release(lease)).isTrue());
    }

    @Test
    void manyLeasesAreRenewedInOneCall() throws Exception {
        int batch = mostLeases() / 8;
        int many = batch * 8;
        List<Lease> leases = new ArrayList<>();
        List<Callable<List<Lease>>> batches = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            batches.add(() -> acquireMany(batch));
        }
        together(batches).forEach(leases::addAll);
        assertThat(store.renew(leases, LONG_TTL)).hasSize(many).containsValue(Renewal.RENEWED);
        assertThat(store.renew(leases, LONG_TTL).values()).containsOnly(Renewal.RENEWED);

        List<Lease> lost = List.of(leases.get(0), leases.get(many / 2), leases.get(many - 1));
        expire(lost.get(0));
        store.release(lost.get(1));
        expire(lost.get(2));
        acquire(other, lost.get(2).key(), BOB);

        assertThat(store.renew(leases, LONG_TTL))
                .hasSize(many)
                .allSatisfy((lease, outcome) ->
                        assertThat(outcome).isEqualTo(lost.contains(lease) ? Renewal.LOST : Renewal.RENEWED));
    }

    private List<Lease> acquireMany(int count) {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            leases.add(acquireLong(store, freshKey(), ALICE));
        }
        return leases;
    }

    @Test
    void keysThatDifferInOneByteAreDifferentKeys() {
        String longest = key + "x".repeat(254 - key.length());
        List<String> keys = List.of(
                key,
                key + " ",
                key + "  ",
                " " + key,
                key + "\t",
                key + "\0",
                key + "a",
                key + "A",
                key + "\u00e4",
                key + "\u00c4",
                key + "a\u0308",
                key + "\u00df",
                key + "ss",
                key + "%",
                key + "_",
                key + "'",
                key + "\\",
                key + "\ud83d\udd12",
                key + "\ud83d\udd13",
                longest + "y",
                longest + "z");
        List<Lease> leases = new ArrayList<>();
        keys.forEach(each -> leases.add(acquire(store, each, ALICE)));
        keys.forEach(each -> busy(attempt(other, each, BOB)));
        assertThat(leases).extracting(Lease::key).isEqualTo(keys);
        assertThat(store.renew(leases, TTL).values()).hasSize(keys.size()).containsOnly(Renewal.RENEWED);
        expire(leases.get(0));
        assertThat(store.renew(leases, TTL).values()).containsOnlyOnce(Renewal.LOST);
        leases.stream()
                .skip(1)
                .forEach(lease -> assertThat(store.release(lease)).isTrue());
    }

    @Test
    void longestKeyIsCountedInBytesAndALongerOneIsNeverCutToFit() {
        String twoBytes = key + "\u00e9".repeat((255 - key.length()) / 2);
        String longest = twoBytes + "x".repeat(255 - twoBytes.getBytes(UTF_8).length);
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> attempt(store, longest + "y", ALICE));
        assertThat(store.inspection().orElseThrow().holder(longest, LockMode.EXCLUSIVE))
                .isEmpty();
        Lease lease = acquire(store, longest, ALICE);
        assertShown(other.inspection().orElseThrow().holder(longest, LockMode.EXCLUSIVE), ALICE);
        assertThat(store.release(lease)).isTrue();
    }

    @Test
    void oneOfManyGetsAKeyThatWasNeverUsed() throws Exception {
        for (int round = 0; round < 20; round++) {
            String fresh = freshKey();
            List<Callable<Attempt>> rivals = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                LockStore at = i % 2 == 0 ? store : other;
                rivals.add(() -> attempt(at, fresh, ALICE));
            }
            assertThat(together(rivals))
                    .filteredOn(Attempt.Granted.class::isInstance)
                    .hasSize(1);
        }
    }

    @Test
    void abandonedAttemptIsTakenBack() {
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, ALICE);
        Lease lease = granted(store.tryAcquire(request));
        store.abandon(request);
        assertThat(store.renew(List.of(lease), TTL)).containsEntry(lease, Renewal.LOST);
        acquire(other, key, BOB);
    }

    @Test
    void lateTakeBackEndsNoOtherLeaseOfTheSameOwner() {
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, ALICE);
        granted(store.tryAcquire(request));
        assertThat(store.abandon(request)).isTrue();
        Lease next = acquire(store, key, ALICE);
        store.abandon(request);
        assertThat(store.renew(List.of(next), TTL)).containsEntry(next, Renewal.RENEWED);
        assertThat(store.release(next)).isTrue();
    }

    @Test
    void attemptThatIsCarriedOutAfterItsTakeBackIsTakenBackByTheNext() {
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, ALICE);
        store.abandon(request);
        granted(store.tryAcquire(request));
        assertThat(store.abandon(request)).isTrue();
        acquire(other, key, BOB);
    }

    @Test
    void expiredLeaseThatIsRevokedIsNotReported() {
        assumeTrue(tellsExpired(), "nothing is left of its leases");
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, ALICE);
        expire(granted(store.tryAcquire(request)));
        store.abandon(request);
        assertThat(former(attempt(other, key, BOB))).isEmpty();
    }

    @Test
    void firstReleaseSaysForHowLongTheKeyIsKept() {
        Lease lease = acquire(store, key, ALICE);
        assertThat(store.release(lease, Duration.ofMinutes(10))).isTrue();
        assertThat(store.release(lease, Duration.ofMinutes(1))).isTrue();
        assertThat(remaining(lease)).isGreaterThan(Duration.ofMinutes(9));
        assertThat(store.release(lease, Duration.ofMinutes(30))).isTrue();
        assertThat(store.renew(List.of(lease), Duration.ofMinutes(30))).hasSize(1);
        assertThat(remaining(lease)).isLessThanOrEqualTo(Duration.ofMinutes(10));
        busy(attempt(other, key, BOB));
        assertThat(store.release(lease)).isTrue();
        assertThat(store.release(lease, Duration.ofMinutes(10))).isFalse();
        acquire(other, key, BOB);
    }

    @Test
    void leaseThatIsGoneIsNotKept() {
        Lease lease = acquire(store, key, ALICE);
        expire(lease);
        assertThat(store.release(lease, TTL)).isFalse();
        acquire(other, key, BOB);
        assertThat(store.release(lease, TTL)).isFalse();
    }

    @Test
    void abandoningHarmsNoOtherLease() {
        Lease bobs = acquire(other, key, BOB);
        Lease elsewhere = acquire(store, freshKey(), ALICE);
        store.abandon(request(key, LockMode.EXCLUSIVE, ALICE));
        store.abandon(request(freshKey(), LockMode.EXCLUSIVE, ALICE));
        assertThat(store.renew(List.of(elsewhere), TTL)).containsEntry(elsewhere, Renewal.RENEWED);
        assertThat(other.release(bobs)).isTrue();
    }

    @Test
    void unknownKeyHasNoHolder() {
        assertThat(store.inspection().orElseThrow().holder(key, LockMode.EXCLUSIVE))
                .isEmpty();
        assertThat(store.inspection().orElseThrow().holder(key, LockMode.SHARED))
                .isEmpty();
    }

    @Test
    void exclusiveHolderIsSeenInBothModes() {
        acquire(store, key, ALICE);
        for (LockMode mode : LockMode.values()) {
            assertShown(other.inspection().orElseThrow().holder(key, mode), ALICE);
        }
    }

    @Test
    void noUpdateIsLostUnderContention() throws Exception {
        UnprotectedCounter counter = createCounter();
        int rounds = 20;
        List<Callable<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            LockStore at = i % 2 == 0 ? store : other;
            threads.add(() -> count(at, counter, rounds));
        }
        assertThat(together(threads)).containsOnly(rounds);
        assertThat(counter.read()).isEqualTo(8 * rounds);
    }

    private int count(LockStore at, UnprotectedCounter counter, int rounds) {
        int done = 0;
        while (done < rounds) {
            Optional<Lease> lease = entered(at, attempt(at, key, ALICE));
            if (lease.isPresent()) {
                counter.write(counter.read() + 1);
                assertThat(at.release(lease.get())).isTrue();
                done++;
            }
        }
        return done;
    }
}
