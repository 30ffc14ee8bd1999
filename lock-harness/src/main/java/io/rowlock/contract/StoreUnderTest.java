package io.rowlock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.NoConnectionException;
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;

/** What a subclass brings to the contract, and the words in which the contract is written. */
abstract class StoreUnderTest {

    static final Duration TTL = Duration.ofSeconds(30);
    static final Duration LONG_TTL = Duration.ofMinutes(10);
    static final String ALICE = "alice";
    static final String BOB = "bob";

    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
    private static final long PAUSE = Duration.ofMillis(1).toNanos();
    private static final AtomicLong NUMBERS = new AtomicLong(System.nanoTime() >>> 1);

    /** Two nodes that share nothing but the data. */
    LockStore store;

    LockStore other;

    /** A key that no test used before. */
    String key;

    /** @return a store that shares nothing but its data with the others this method returned */
    protected abstract LockStore createStore();

    /**
     * Makes a lease run out now, as if its ttl had passed, and changes nothing else.
     *
     * @param lease a lease that still lasts
     */
    protected abstract void expire(Lease lease);

    /** @return whether the store takes shared leases; true unless overridden */
    protected boolean supportsShared() {
        return true;
    }

    /** @return whether the store takes permits; false unless overridden */
    protected boolean supportsPermits() {
        return false;
    }

    /** @return a counter that loses updates unless a lock protects it; in memory unless overridden */
    protected UnprotectedCounter createCounter() {
        return new UnprotectedCounter.InMemory();
    }

    /** @return whether a busy answer and {@link io.rowlock.store.inspection.StoreInspection#holder} tell who holds a key */
    protected boolean showsHolder() {
        return true;
    }

    /** What an attempt found of a lease that had run out. */
    static Optional<ExpiredLease> former(Attempt attempt) {
        return ((Attempt.Taken) attempt).former();
    }

    /** @return whether a takeover reports the lease that expired */
    protected boolean tellsExpired() {
        return true;
    }

    /** @return whether a writer that meets readers closes the key to newcomers and drains, rather than finding it busy */
    protected boolean drains() {
        return true;
    }

    /** @return whether an exclusive lease can become a shared one without a gap, or else just stays what it is */
    protected boolean downgrades() {
        return true;
    }

    /** @return how many leases a node can have at the same time, a thousand at most */
    protected int mostLeases() {
        return 1_000;
    }

    /**
     * How long a lease lasts if it is not renewed any more.
     *
     * @param lease an exclusive lease that still lasts
     * @return as the database has it
     */
    protected Duration remaining(Lease lease) {
        return other.inspection()
                .orElseThrow()
                .holder(lease.key(), LockMode.EXCLUSIVE)
                .orElseThrow()
                .remaining();
    }

    @BeforeEach
    void openTwoStores() {
        key = freshKey();
        store = createStore();
        other = createStore();
    }

    static String freshKey() {
        return "key-" + UUID.randomUUID();
    }

    static LeaseRequest request(String key, LockMode mode, String owner) {
        return new LeaseRequest(key, mode, owner, TTL, NUMBERS.incrementAndGet(), TTL, 0);
    }

    static Attempt attempt(LockStore at, String key, String owner) {
        return answer(at, request(key, LockMode.EXCLUSIVE, owner));
    }

    static Attempt attemptShared(LockStore at, String key, String owner) {
        return answer(at, request(key, LockMode.SHARED, owner));
    }

    static Attempt attemptPermit(LockStore at, String key, String owner, int permits) {
        return answer(at, new LeaseRequest(key, LockMode.PERMIT, owner, TTL, NUMBERS.incrementAndGet(), TTL, permits));
    }

    /** As a client does, asks again while other threads use all connections of the store: nothing was sent then. */
    private static Attempt answer(LockStore at, LeaseRequest request) {
        long started = System.nanoTime();
        while (true) {
            try {
                return at.tryAcquire(request);
            } catch (NoConnectionException e) {
                if (System.nanoTime() - started > LONGEST_WAIT.toNanos()) {
                    throw e;
                }
            }
        }
    }

    /** Lasts while a slow machine takes a thousand. */
    static Lease acquireLong(LockStore at, String key, String owner) {
        long nonce = NUMBERS.incrementAndGet();
        return granted(answer(at, new LeaseRequest(key, LockMode.EXCLUSIVE, owner, LONG_TTL, nonce, TTL, 0)));
    }

    static Lease acquirePermit(LockStore at, String key, String owner, int permits) {
        return granted(attemptPermit(at, key, owner, permits));
    }

    static Lease acquire(LockStore at, String key, String owner) {
        return granted(attempt(at, key, owner));
    }

    static Lease acquireShared(LockStore at, String key, String owner) {
        return granted(attemptShared(at, key, owner));
    }

    /** The greatest token with which a lease could be handed on a moment after it was granted. */
    static long lastToken(LockStore at, Lease granted) {
        long answered = System.nanoTime();
        LockSupport.parkNanos(PAUSE);
        Duration held = Duration.ofNanos(System.nanoTime() - answered);
        return granted.fence() + at.capabilities().handoffs().most(granted.fence(), held);
    }

    static Lease granted(Attempt attempt) {
        assertThat(attempt).isInstanceOf(Attempt.Granted.class);
        return ((Attempt.Granted) attempt).lease();
    }

    static Lease draining(Attempt attempt) {
        assertThat(attempt).isInstanceOf(Attempt.Draining.class);
        return ((Attempt.Draining) attempt).lease();
    }

    static Optional<Holder> busy(Attempt attempt) {
        assertThat(attempt).isInstanceOf(Attempt.Busy.class);
        return ((Attempt.Busy) attempt).holder();
    }

    /** If the store shows holders, that one and no other. */
    void assertShown(Optional<Holder> holder, String owner) {
        if (!showsHolder()) {
            assertThat(holder).isEmpty();
            return;
        }
        assertThat(holder).get().satisfies(shown -> {
            assertThat(shown.owner()).isEqualTo(owner);
            assertThat(shown.remaining()).isPositive().isLessThanOrEqualTo(TTL);
        });
    }

    /** The lease of a writer that comes when the last reader is gone. Whether it has to look for readers is up to the store. */
    Lease enteredAfterReaders(LockStore at, Attempt attempt) {
        return drains() ? entered(at, attempt).orElseThrow() : granted(attempt);
    }

    /** The exclusive lease of an attempt, if by now no other lease holds the key. */
    static Optional<Lease> entered(LockStore at, Attempt attempt) {
        if (attempt instanceof Attempt.Granted grant) {
            return Optional.of(grant.lease());
        }
        if (attempt instanceof Attempt.Draining wait) {
            if (at.drained(wait.lease()).complete()) {
                return Optional.of(wait.lease());
            }
            at.release(wait.lease());
        }
        return Optional.empty();
    }

    /** Starts all of them at the same moment and waits for the last. */
    static <T> List<T> together(List<Callable<T>> tasks) throws Exception {
        CyclicBarrier start = new CyclicBarrier(tasks.size());
        ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
        try {
            List<Future<T>> running = new ArrayList<>();
            for (Callable<T> task : tasks) {
                running.add(threads.submit(() -> {
                    start.await();
                    return task.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> each : running) {
                results.add(each.get(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }
}
