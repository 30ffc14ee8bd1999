package io.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.LockStore.Drained;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Readers and writers, for stores that know shared leases. */
abstract class SharedModeContract extends PermitContract {

    private static final int ROUNDS = 15;
    private static final int WRITER = 1_000;

    /** How often the leases were handed on that are downgraded. */
    private static final int HANDED_ON = 7;

    @Nested
    class SharedModeTests {

        @BeforeEach
        void needSharedMode() {
            assumeTrue(supportsShared(), "the store knows no shared leases");
        }

        @Test
        void readersAreInsideTogether() {
            Lease first = acquireShared(store, key, ALICE);
            Lease second = acquireShared(other, key, BOB);
            Lease third = acquireShared(store, key, ALICE);
            assertThat(List.of(first, second, third))
                    .extracting(Lease::slot)
                    .doesNotHaveDuplicates()
                    .doesNotContain(0L);
            assertThat(first.mode()).isEqualTo(LockMode.SHARED);
        }

        @Test
        void readerIsRefusedWhileAWriterIsInside() {
            Lease writer = acquire(store, key, ALICE);
            assertShown(busy(attemptShared(other, key, BOB)), ALICE);
            assertThat(store.release(writer)).isTrue();
            acquireShared(other, key, BOB);
        }

        @Test
        void writerThatCameBeforeTheFirstReaderNeedsNotDrain() {
            assertThat(store.release(acquire(store, key, ALICE))).isTrue();
            acquire(other, key, BOB);
        }

        @Test
        void writerWaitsUntilTheReaderInsideHasLeftAndLetsNoOtherIn() {
            assumeTrue(drains(), "its writers do not drain");
            Lease reader = acquireShared(store, key, ALICE);
            Lease writer = draining(attempt(other, key, BOB));
            assertThat(other.drained(writer).complete()).isFalse();
            assertThat(busy(attemptShared(store, key, ALICE)))
                    .get()
                    .extracting(Holder::owner)
                    .isEqualTo(BOB);
            assertThat(busy(attempt(store, key, ALICE)))
                    .get()
                    .extracting(Holder::owner)
                    .isEqualTo(BOB);
            assertThat(store.renew(List.of(reader), TTL)).containsEntry(reader, Renewal.RENEWED);

            assertThat(store.release(reader)).isTrue();

            assertThat(other.drained(writer).complete()).isTrue();
            busy(attemptShared(store, key, ALICE));
        }

        @Test
        void readerThatHasRunOutIsPutOutForGood() {
            Lease reader = acquireShared(store, key, ALICE);
            expire(reader);
            enteredAfterReaders(other, attempt(other, key, BOB));
            assertThat(store.renew(List.of(reader), TTL)).containsEntry(reader, Renewal.LOST);
            assertThat(store.release(reader)).isFalse();
        }

        @Test
        void writerWaitsForTheLastOfManyReaders() {
            assumeTrue(drains(), "its writers do not drain");
            Lease expired = acquireShared(store, key, ALICE);
            Lease live = acquireShared(other, key, ALICE);
            Lease released = acquireShared(other, key, BOB);
            expire(expired);
            Lease writer = draining(attempt(store, key, BOB));
            assertThat(other.release(released)).isTrue();
            assertThat(store.drained(writer).complete()).isFalse();
            assertThat(store.drained(writer).complete()).isFalse();
            expire(live);
            assertThat(store.drained(writer).complete()).isTrue();
        }

        @Test
        void writerThatGivesUpLetsReadersInAgain() {
            assumeTrue(drains(), "its writers do not drain");
            Lease reader = acquireShared(store, key, ALICE);
            Lease writer = draining(attempt(other, key, BOB));
            assertThat(other.release(writer)).isTrue();
            acquireShared(other, key, BOB);
            assertThat(store.release(reader)).isTrue();
        }

        @Test
        void writerThatHasRunOutLetsReadersIn() {
            Lease writer = acquire(store, key, ALICE);
            expire(writer);
            Attempt entered = attemptShared(other, key, BOB);
            assertThat(entered).isInstanceOf(Attempt.Granted.class);
            assertThat(store.renew(List.of(writer), TTL)).containsEntry(writer, Renewal.LOST);
            assertThat(store.release(writer)).as("it was ended for the reader").isFalse();
            if (tellsExpired()) {
                assertThat(former(entered).map(ExpiredLease::lease)).contains(writer);
            }
        }

        @Test
        void readersTokenIsNotOlderThanTheLastWritersAndTheNextWritersIsNewer() {
            Lease writer = acquire(store, key, ALICE);
            long lastToken = lastToken(store, writer);
            store.release(writer);
            Lease reader = acquireShared(other, key, BOB);
            other.release(reader);
            Lease next = enteredAfterReaders(store, attempt(store, key, ALICE));
            assertThat(reader.fence()).isGreaterThanOrEqualTo(lastToken);
            assertThat(next.fence()).isGreaterThan(reader.fence());
        }

        @Test
        void readerIsReleasedOnceAndAlone() {
            Lease first = acquireShared(store, key, ALICE);
            Lease second = acquireShared(store, key, ALICE);
            assertThat(store.release(first)).isTrue();
            assertThat(store.release(first)).isFalse();
            assertThat(store.renew(List.of(first, second), TTL))
                    .containsEntry(first, Renewal.LOST)
                    .containsEntry(second, Renewal.RENEWED);
        }

        @Test
        void readerThatHasRunOutIsNeverRenewed() {
            Lease reader = acquireShared(store, key, ALICE);
            expire(reader);
            assertThat(store.renew(List.of(reader), TTL)).containsEntry(reader, Renewal.LOST);
            assertThat(store.inspection().orElseThrow().holder(key, LockMode.EXCLUSIVE))
                    .isEmpty();
        }

        @Test
        void readersAndWritersAreRenewedTogether() {
            assumeTrue(drains(), "its writers do not drain");
            Lease reader = acquireShared(store, key, ALICE);
            Lease writer = draining(attempt(store, key, ALICE));
            Lease elsewhere = acquire(store, freshKey(), ALICE);
            assertThat(store.renew(List.of(elsewhere, writer, reader), TTL))
                    .hasSize(3)
                    .containsEntry(reader, Renewal.RENEWED)
                    .containsEntry(writer, Renewal.RENEWED)
                    .containsEntry(elsewhere, Renewal.RENEWED);
        }

        @Test
        void abandonedReaderIsGoneAndNoOther() {
            LeaseRequest request = request(key, LockMode.SHARED, ALICE);
            granted(store.tryAcquire(request));
            Lease staying = acquireShared(store, key, ALICE);
            store.abandon(request);
            store.abandon(request);
            store.abandon(request(key, LockMode.SHARED, ALICE));
            assertThat(store.release(staying)).isTrue();
            enteredAfterReaders(other, attempt(other, key, BOB));
        }

        @Test
        void expiredReaderIsReportedOnceToTheWriterThatRemovesIt() {
            assumeTrue(drains(), "its writers do not drain");
            Lease dead = acquireShared(store, key, ALICE);
            Lease living = acquireShared(store, key, ALICE);
            expire(dead);
            Lease writer = draining(attempt(other, key, BOB));
            Drained first = other.drained(writer);
            assertThat(first.complete()).isFalse();
            assertThat(first.expired()).extracting(ExpiredLease::lease).containsExactly(dead);
            assertThat(store.release(living)).isTrue();
            assertThat(other.drained(writer)).isEqualTo(new Drained(true, List.of()));
        }

        @Test
        void readerStandsInAWritersWayOnly() {
            Lease reader = acquireShared(store, key, ALICE);
            assertThat(other.inspection().orElseThrow().holder(key, LockMode.SHARED))
                    .isEmpty();
            assertShown(other.inspection().orElseThrow().holder(key, LockMode.EXCLUSIVE), ALICE);
            expire(reader);
            assertThat(other.inspection().orElseThrow().holder(key, LockMode.EXCLUSIVE))
                    .isEmpty();
        }

        @Test
        void writerStandsInEverybodysWay() {
            assumeTrue(drains(), "its writers do not drain");
            acquireShared(store, key, ALICE);
            draining(attempt(store, key, BOB));
            for (LockMode mode : LockMode.values()) {
                assertThat(other.inspection().orElseThrow().holder(key, mode))
                        .get()
                        .extracting(Holder::owner)
                        .isEqualTo(BOB);
            }
        }

        private Downgrade downgrade(LockStore at, Lease exclusive) {
            LeaseRequest shared = request(exclusive.key(), LockMode.SHARED, exclusive.owner());
            return at.downgrade(exclusive, exclusive.fence() + HANDED_ON, shared);
        }

        private static Lease shared(Downgrade outcome) {
            assertThat(outcome).isInstanceOf(Downgrade.Shared.class);
            return ((Downgrade.Shared) outcome).lease();
        }

        @Test
        void downgradedWriterIsAReaderWithTheTokenItHadOrAGreaterOne() {
            assumeTrue(downgrades(), "it cannot downgrade without a gap");
            Lease writer = acquire(store, key, ALICE);
            Lease reader = shared(downgrade(store, writer));
            assertThat(reader.mode()).isEqualTo(LockMode.SHARED);
            assertThat(reader.key()).isEqualTo(key);
            assertThat(reader.owner()).isEqualTo(ALICE);
            assertThat(reader.slot()).isNotZero();
            assertThat(reader.fence()).isGreaterThanOrEqualTo(writer.fence() + HANDED_ON);
            assertThat(store.renew(List.of(writer, reader), TTL))
                    .containsEntry(writer, Renewal.LOST)
                    .containsEntry(reader, Renewal.RENEWED);
            assertThat(store.release(writer)).isFalse();
            acquireShared(other, key, BOB);
            assertThat(store.release(reader)).isTrue();
        }

        @Test
        void downgradeThatIsAskedForAgainSaysWhatThereIs() {
            assumeTrue(downgrades(), "it cannot downgrade without a gap");
            Lease writer = acquire(store, key, ALICE);
            LeaseRequest request = request(key, LockMode.SHARED, ALICE);
            Lease reader = shared(store.downgrade(writer, writer.fence() + HANDED_ON, request));
            assertThat(shared(store.downgrade(writer, writer.fence() + HANDED_ON, request)))
                    .isEqualTo(reader);
            assertThat(store.renew(List.of(reader), TTL)).containsEntry(reader, Renewal.RENEWED);
            expire(reader);
            assertThat(store.downgrade(writer, writer.fence() + HANDED_ON, request))
                    .isInstanceOf(Downgrade.Lost.class);
            assertThat(downgrade(store, writer)).isInstanceOf(Downgrade.Lost.class);
        }

        @Test
        void firstReleaseOfAReaderSaysForHowLongItIsKept() {
            Lease reader = acquireShared(store, key, ALICE);
            assertThat(store.release(reader, Duration.ofMinutes(10))).isTrue();
            assertThat(store.release(reader, Duration.ofMinutes(30))).isTrue();
            assertThat(store.renew(List.of(reader), Duration.ofMinutes(30))).hasSize(1);
            assertThat(remaining(reader)).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
            assertThat(store.release(reader)).isTrue();
            assertThat(store.release(reader, TTL)).isFalse();
        }

        @Test
        void lateTakeBackEndsNoOtherReaderOfTheSameOwner() {
            LeaseRequest request = request(key, LockMode.SHARED, ALICE);
            granted(store.tryAcquire(request));
            assertThat(store.abandon(request)).isTrue();
            Lease next = acquireShared(store, key, ALICE);
            store.abandon(request);
            assertThat(store.renew(List.of(next), TTL)).containsEntry(next, Renewal.RENEWED);
        }

        @Test
        void downgradedWriterStandsInTheNextWritersWay() {
            assumeTrue(downgrades(), "it cannot downgrade without a gap");
            Lease reader = shared(downgrade(store, acquire(store, key, ALICE)));
            Lease next = draining(attempt(other, key, BOB));
            assertThat(next.fence()).isGreaterThan(reader.fence());
            assertThat(other.drained(next).complete()).isFalse();
            assertThat(store.release(reader)).isTrue();
            assertThat(other.drained(next).complete()).isTrue();
        }

        @Test
        void lostWriterIsNotDowngraded() {
            Lease lost = acquire(store, key, ALICE);
            expire(lost);
            assertThat(downgrade(store, lost)).isInstanceOf(Downgrade.Lost.class);
            Lease released = acquire(store, key, ALICE);
            store.release(released);
            assertThat(downgrade(store, released)).isInstanceOf(Downgrade.Lost.class);
            Lease former = acquire(store, key, ALICE);
            expire(former);
            Lease successor = entered(other, attempt(other, key, BOB)).orElseThrow();
            assertThat(downgrade(store, former)).isInstanceOf(Downgrade.Lost.class);
            assertShown(store.inspection().orElseThrow().holder(key, LockMode.EXCLUSIVE), BOB);
            assertThat(other.release(successor)).isTrue();
        }

        @Test
        void noWriterEntersWhileAnotherIsDowngraded() throws Exception {
            for (int round = 0; round < 10; round++) {
                String fresh = freshKey();
                Lease writer = acquire(store, fresh, ALICE);
                List<Callable<Optional<Lease>>> calls = new ArrayList<>();
                calls.add(() ->
                        downgrade(store, writer) instanceof Downgrade.Lost ? Optional.empty() : Optional.of(writer));
                for (int i = 0; i < 4; i++) {
                    calls.add(() -> {
                        Optional<Lease> entered = Optional.empty();
                        for (int attempt = 0; attempt < 5 && entered.isEmpty(); attempt++) {
                            entered = entered(other, attempt(other, fresh, BOB));
                        }
                        return entered;
                    });
                }
                List<Optional<Lease>> results = together(calls);
                assertThat(results.get(0)).isPresent();
                assertThat(results.subList(1, results.size())).allMatch(Optional::isEmpty);
            }
        }

        @Test
        void writerThatCannotBeDowngradedStaysAWriter() {
            assumeTrue(!downgrades(), "it can downgrade");
            Lease writer = acquire(store, key, ALICE);
            assertThat(downgrade(store, writer)).isEqualTo(new Downgrade.Unchanged());
            busy(attemptShared(other, key, BOB));
            assertThat(store.release(writer)).isTrue();
        }

        @Test
        void firstReadersOfAKeyAllGetIn() throws Exception {
            for (int round = 0; round < 5; round++) {
                String fresh = freshKey();
                List<Callable<Lease>> readers = new ArrayList<>();
                for (int i = 0; i < 16; i++) {
                    LockStore at = i % 2 == 0 ? store : other;
                    readers.add(() -> acquireShared(at, fresh, ALICE));
                }
                assertThat(together(readers)).extracting(Lease::slot).doesNotHaveDuplicates();
            }
        }

        @Test
        void readersAndWritersNeverMeet() throws Exception {
            AtomicInteger inside = new AtomicInteger();
            List<String> meetings = Collections.synchronizedList(new ArrayList<>());
            List<Callable<Integer>> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                LockStore at = i % 2 == 0 ? store : other;
                threads.add(i < 4 ? () -> read(at, inside, meetings) : () -> write(at, inside, meetings));
            }
            assertThat(together(threads)).containsOnly(ROUNDS);
            assertThat(meetings).isEmpty();
        }

        private int read(LockStore at, AtomicInteger inside, List<String> meetings) {
            int done = 0;
            while (done < ROUNDS) {
                if (attemptShared(at, key, ALICE) instanceof Attempt.Granted grant) {
                    int seen = inside.incrementAndGet();
                    if (seen >= WRITER) {
                        meetings.add("a reader met a writer: " + seen);
                    }
                    at.inspection().orElseThrow().holder(key, LockMode.SHARED); // a round trip long
                    inside.decrementAndGet();
                    at.release(grant.lease());
                    done++;
                }
            }
            return done;
        }

        private int write(LockStore at, AtomicInteger inside, List<String> meetings) {
            int done = 0;
            while (done < ROUNDS) {
                var lease = entered(at, attempt(at, key, BOB));
                if (lease.isPresent()) {
                    int seen = inside.addAndGet(WRITER);
                    if (seen != WRITER) {
                        meetings.add("a writer met another holder: " + seen);
                    }
                    at.inspection().orElseThrow().holder(key, LockMode.SHARED); // a round trip long
                    inside.addAndGet(-WRITER);
                    at.release(lease.get());
                    done++;
                }
            }
            return done;
        }
    }
}
