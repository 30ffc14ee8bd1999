package io.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.inspection.LiveLock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Permits, for stores that have them. */
abstract class PermitContract extends StoreUnderTest {
    private static final int ROUNDS = 15;

    @Nested
    class PermitTests {
        @BeforeEach
        void needPermits() {
            assumeTrue(supportsPermits(), "the store has no permits");
        }

        @Test
        void permitsAreGrantedUpToTheirNumber() {
            Lease first = acquirePermit(store, key, ALICE, 2);
            Lease second = acquirePermit(store, key, ALICE, 2);
            assertThat(List.of(first, second))
                    .extracting(Lease::slot)
                    .doesNotHaveDuplicates()
                    .doesNotContain(0L);
            assertThat(first.mode()).isEqualTo(LockMode.PERMIT);
            assertShown(busy(attemptPermit(other, key, BOB, 2)), ALICE);
            assertThat(store.release(first)).isTrue();
            acquirePermit(other, key, BOB, 2);
            busy(attemptPermit(store, key, ALICE, 2));
        }

        @Test
        void smallestNumberOfAllHoldersCounts() {
            Lease first = acquirePermit(store, key, ALICE, 3);
            Lease second = acquirePermit(store, key, ALICE, 3);
            busy(attemptPermit(other, key, BOB, 2));
            store.release(first);
            Lease lowered = acquirePermit(other, key, BOB, 2);
            busy(attemptPermit(store, key, ALICE, 3));
            other.release(lowered);
            acquirePermit(store, key, ALICE, 3);
            acquirePermit(store, key, ALICE, 3);
            assertThat(store.renew(List.of(second), TTL))
                    .as("lowering the number revokes none")
                    .containsEntry(second, Renewal.RENEWED);
        }

        @Test
        void permitsThatHaveRunOutMakeRoomForGood() {
            Lease expired = acquirePermit(store, key, ALICE, 2);
            Lease expiredToo = acquirePermit(store, key, ALICE, 2);
            expire(expired);
            expire(expiredToo);
            Attempt attempt = attemptPermit(other, key, BOB, 2);
            granted(attempt);
            if (tellsExpired()) {
                assertThat(former(attempt)).map(ExpiredLease::lease).get().isIn(expired, expiredToo);
            }
            acquirePermit(other, key, BOB, 2);
            busy(attemptPermit(other, key, BOB, 2));
            assertThat(store.renew(List.of(expired, expiredToo), TTL).values()).containsOnly(Renewal.LOST);
            assertThat(store.release(expired)).isFalse();
        }

        @Test
        void permitsAndWritersExcludeEachOther() {
            Lease permit = acquirePermit(store, key, ALICE, 2);
            if (drains()) {
                Lease writer = draining(attempt(other, key, BOB));
                assertThat(other.drained(writer).complete()).isFalse();
                assertShown(busy(attemptPermit(store, key, ALICE, 2)), BOB);
                store.release(permit);
                assertThat(other.drained(writer).complete()).isTrue();
                busy(attemptPermit(store, key, ALICE, 2));
                other.release(writer);
            } else {
                busy(attempt(other, key, BOB));
                store.release(permit);
            }
            acquirePermit(store, key, ALICE, 2);
        }

        @Test
        void writerRemovesAPermitThatHasRunOutAndReportsIt() {
            Lease permit = acquirePermit(store, key, ALICE, 1);
            expire(permit);
            Attempt attempt = attempt(other, key, BOB);
            if (drains()) {
                assertThat(other.drained(draining(attempt)).expired())
                        .extracting(ExpiredLease::lease)
                        .containsExactly(permit);
            }
            assertThat(store.renew(List.of(permit), TTL)).containsEntry(permit, Renewal.LOST);
        }

        @Test
        void readersDoNotCount() {
            assumeTrue(supportsShared(), "the store knows no shared leases");
            acquireShared(store, key, ALICE);
            acquirePermit(other, key, BOB, 1);
            acquireShared(store, key, ALICE);
            busy(attemptPermit(other, key, BOB, 1));
        }

        @Test
        void permitIsRenewedAndReleasedAlone() {
            Lease first = acquirePermit(store, key, ALICE, 2);
            Lease second = acquirePermit(store, key, ALICE, 2);
            assertThat(store.renew(List.of(first), TTL)).containsEntry(first, Renewal.RENEWED);
            assertThat(store.release(first)).isTrue();
            assertThat(store.release(first)).isFalse();
            assertThat(store.renew(List.of(first, second), TTL))
                    .containsEntry(first, Renewal.LOST)
                    .containsEntry(second, Renewal.RENEWED);
        }

        @Test
        void permitThatIsKeptForAWhileCounts() {
            Lease kept = acquirePermit(store, key, ALICE, 1);
            assertThat(store.release(kept, TTL)).isTrue();
            busy(attemptPermit(other, key, BOB, 1));
            expire(kept);
            acquirePermit(other, key, BOB, 1);
        }

        @Test
        void abandonedPermitIsGoneAndNoOther() {
            LeaseRequest request = permitRequest(ALICE);
            Lease other1 = acquirePermit(store, key, ALICE, 2);
            Lease lost = granted(store.tryAcquire(request));
            assertThat(store.abandon(request)).isTrue();
            store.abandon(permitRequest(ALICE));
            assertThat(store.renew(List.of(lost, other1), TTL))
                    .containsEntry(lost, Renewal.LOST)
                    .containsEntry(other1, Renewal.RENEWED);
        }

        private LeaseRequest permitRequest(String owner) {
            LeaseRequest plain = request(key, LockMode.PERMIT, owner);
            return new LeaseRequest(key, LockMode.PERMIT, owner, TTL, plain.nonce(), TTL, 2);
        }

        @Test
        void tokenIsNotOlderThanTheLastWritersAndTheNextWritersIsNewer() {
            Lease writer = acquire(store, key, ALICE);
            long lastToken = lastToken(store, writer);
            store.release(writer);
            Lease permit = acquirePermit(other, key, BOB, 2);
            other.release(permit);
            Lease next = enteredAfterReaders(store, attempt(store, key, ALICE));
            assertThat(permit.fence()).isGreaterThanOrEqualTo(lastToken);
            assertThat(next.fence()).isGreaterThan(permit.fence());
        }

        @Test
        void permitsAreShown() {
            assumeTrue(showsHolder(), "the store shows no holders");
            Lease first = acquirePermit(store, key, ALICE, 2);
            assertThat(holder(LockMode.PERMIT)).as("there is room").isFalse();
            assertThat(holder(LockMode.SHARED)).isFalse();
            assertThat(holder(LockMode.EXCLUSIVE)).isTrue();
            acquirePermit(store, key, ALICE, 2);
            assertThat(holder(LockMode.PERMIT)).isTrue();
            assertThat(other.inspection().orElseThrow().holders(key))
                    .extracting(LiveLock::mode)
                    .containsExactly(LockMode.PERMIT, LockMode.PERMIT);
            LiveLock shown = other.inspection().orElseThrow().holders(key).stream()
                    .filter(lock -> lock.slot() == first.slot())
                    .findFirst()
                    .orElseThrow();
            assertThat(other.inspection().orElseThrow().end(shown)).isTrue();
            assertThat(store.renew(List.of(first), TTL)).containsEntry(first, Renewal.LOST);
        }

        private boolean holder(LockMode wanted) {
            return other.inspection().orElseThrow().holder(key, wanted).isPresent();
        }

        @Test
        void neverMoreThanTheirNumberAreInside() throws Exception {
            int permits = 3;
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            List<Callable<Integer>> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                LockStore at = i % 2 == 0 ? store : other;
                threads.add(() -> enterAndLeave(at, permits, inside, most));
            }
            assertThat(together(threads)).containsOnly(ROUNDS);
            assertThat(most.get()).isPositive().isLessThanOrEqualTo(permits);
        }

        private int enterAndLeave(LockStore at, int permits, AtomicInteger inside, AtomicInteger most) {
            int done = 0;
            while (done < ROUNDS) {
                if (attemptPermit(at, key, ALICE, permits) instanceof Attempt.Granted grant) {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    at.inspection().orElseThrow().holder(key, LockMode.SHARED); // a round trip long
                    inside.decrementAndGet();
                    at.release(grant.lease());
                    done++;
                }
            }
            return done;
        }

        @Test
        void firstPermitsOfAKeyAllGetIn() throws Exception {
            for (int round = 0; round < 3; round++) {
                String fresh = freshKey();
                List<Callable<Optional<Lease>>> threads = new ArrayList<>();
                for (int i = 0; i < 12; i++) {
                    LockStore at = i % 2 == 0 ? store : other;
                    threads.add(() -> acquiredAtLast(at, fresh));
                }
                assertThat(together(threads)).allMatch(Optional::isPresent);
                busy(attemptPermit(store, fresh, ALICE, 12));
            }
        }

        /** Those that meet while the key is created may find it busy for a moment. */
        private Optional<Lease> acquiredAtLast(LockStore at, String fresh) {
            for (int i = 0; i < 100; i++) {
                if (attemptPermit(at, fresh, ALICE, 12) instanceof Attempt.Granted grant) {
                    return Optional.of(grant.lease());
                }
            }
            return Optional.empty();
        }
    }
}
