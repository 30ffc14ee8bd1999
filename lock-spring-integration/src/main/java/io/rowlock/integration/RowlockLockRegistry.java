package io.rowlock.integration;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.Printable;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;

/**
 * Keeps locks of Spring Integration in the store of a {@link LockClient}. A lock of key {@code k} has the lock key
 * {@code integration:k}; another region than {@code integration} keeps the locks of two registries apart.
 *
 * <p>A held lock is renewed, so {@link #renewLock} is needed only to make it last longer than its ttl without a renewal. With
 * {@link #withoutRenewal} a lock ends with its ttl unless it is renewed by hand, as in the registries of Spring Integration.
 *
 * <p>The locks are those of {@link LockClient#lock(LockRequest)}: reentrant, owned by the thread, held until an open transaction of the
 * thread has completed. {@code unlock()} of a lost lock throws {@link LockLostException}, and a failing store
 * {@link io.rowlock.LockStoreException}. Locks of one key are equal, but not the same object: none is kept.
 *
 * <p>Immutable and thread-safe.
 */
public final class RowlockLockRegistry implements RenewableLockRegistry<DistributedLock> {
    private static final String REGION = "integration";

    /** Is less than any token. */
    private static final long NONE = 0;

    private final LockClient client;
    private final String region;
    private final @Nullable String strategy;
    private final @Nullable Duration ttl;
    private final boolean renewal;

    /**
     * Makes a registry with the client's ttl and strategy, in region {@code integration}.
     *
     * @param client acquires the locks
     */
    public RowlockLockRegistry(LockClient client) {
        this(Objects.requireNonNull(client, "client"), REGION, null, null, true);
    }

    private RowlockLockRegistry(
            LockClient client, String region, @Nullable String strategy, @Nullable Duration ttl, boolean renewal) {
        this.client = client;
        this.region = region;
        this.strategy = strategy;
        this.ttl = ttl;
        this.renewal = renewal;
    }

    /**
     * Makes a registry of another region.
     *
     * @param other what lock keys begin with, and what the locks are called in meters. Of {@code rowlock.locks.<name>} only {@code
     *     stale-snapshot} applies to them; {@link #withTtl} and {@link #withStrategy} set the rest
     * @return a copy with it
     * @throws IllegalArgumentException if it is blank or longer than 50 characters, or contains a colon, or its keys are reserved, as those
     *     of {@code leader} are
     */
    public RowlockLockRegistry withRegion(String other) {
        if (other.isBlank() || other.length() > 50 || other.contains(":")) {
            throw new IllegalArgumentException("The region must have 1 to 50 characters and no colon, but is \"%s\""
                    .formatted(Printable.of(other)));
        }
        Lock unused = client.lock(LockRequest.exclusive(other + ":")); // refuses a reserved key
        return new RowlockLockRegistry(client, other, strategy, ttl, renewal);
    }

    /**
     * Makes a registry with another strategy.
     *
     * @param other the name of a strategy, as {@code rowlock.strategy} takes it
     * @return a copy with it
     * @throws IllegalArgumentException if it is {@code transaction}, whose locks end with a transaction and never before
     */
    public RowlockLockRegistry withStrategy(String other) {
        if (other.equals("transaction")) {
            throw new IllegalArgumentException(
                    "Strategy \"transaction\" is not for a LockRegistry: its locks need an open"
                            + " transaction, and unlock() cannot end them; choose another one");
        }
        return new RowlockLockRegistry(client, region, other, ttl, renewal);
    }

    /**
     * Makes a registry with another ttl.
     *
     * @param other how long a dead holder keeps a lock
     * @return a copy with it
     */
    public RowlockLockRegistry withTtl(Duration other) {
        return new RowlockLockRegistry(client, region, strategy, other, renewal);
    }

    /**
     * Makes a registry whose locks end with their ttl, though they are held, unless {@link #renewLock} is called in time.
     *
     * @param limit how long a lock lasts
     * @return a copy without renewal
     */
    public RowlockLockRegistry withoutRenewal(Duration limit) {
        return new RowlockLockRegistry(client, region, strategy, limit, false);
    }

    /**
     * {@inheritDoc}
     *
     * @param lockKey a string, or another object whose text is the same in each process: a number, a UUID, an enum constant
     * @throws IllegalArgumentException if it is none of them
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return new RegisteredLock(client, request(lockKey));
    }

    LockRequest request(Object lockKey) {
        LockRequest request =
                LockRequest.exclusive(RegistryKey.of(region, lockKey)).withName(region);
        request = strategy == null ? request : request.withStrategy(strategy);
        request = ttl == null ? request : request.withTtl(ttl);
        return renewal ? request : request.withRenewal(false);
    }

    /** {@inheritDoc} A failure to unlock does not hide what {@code body} has thrown. */
    @Override
    public <T extends @Nullable Object, E extends Throwable> T executeLocked(Object lockKey, CheckedCallable<T, E> body)
            throws E, InterruptedException {
        DistributedLock lock = obtain(lockKey);
        lock.lockInterruptibly();
        return executed(lock, body);
    }

    /** {@inheritDoc} A failure to unlock does not hide what {@code body} has thrown. */
    @Override
    public <T extends @Nullable Object, E extends Throwable> T executeLocked(
            Object lockKey, Duration waitTime, CheckedCallable<T, E> body)
            throws E, InterruptedException, TimeoutException {
        DistributedLock lock = obtain(lockKey);
        if (!lock.tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException("The %s was not acquired within %s".formatted(lock, waitTime));
        }
        return executed(lock, body);
    }

    private static <T extends @Nullable Object, E extends Throwable> T executed(
            DistributedLock lock, CheckedCallable<T, E> body) throws E {
        T result;
        try {
            result = body.call();
        } catch (Throwable thrown) {
            try {
                lock.unlock();
            } catch (RuntimeException e) {
                thrown.addSuppressed(e);
            }
            throw thrown;
        }
        lock.unlock();
        return result;
    }

    /**
     * Makes sure that the lock is held, and renews it for the ttl that it has.
     *
     * @throws IllegalMonitorStateException if the thread does not hold the lock
     * @throws LockLostException if it was lost
     */
    @Override
    public void renewLock(Object lockKey) {
        renew(lockKey, HeldLock::extend);
    }

    /**
     * Makes the lock last at least {@code limit} from now, never shorter than before.
     *
     * @throws IllegalMonitorStateException if the thread does not hold the lock
     * @throws LockLostException if it was lost
     */
    @Override
    public void renewLock(Object lockKey, Duration limit) {
        renew(lockKey, held -> held.extend(limit));
    }

    private void renew(Object lockKey, Consumer<HeldLock> extension) {
        LockRequest request = request(lockKey);
        // Enters only what the thread has, be it lost: it would acquire a key that is free
        long own = client.isAcquiredByCurrentThread(request) ? entered(request, held -> {}) : NONE;
        if (own == NONE) {
            throw new IllegalMonitorStateException("The thread %s does not own the lock \"%s\""
                    .formatted(
                            Thread.currentThread().getName(),
                            Printable.of(request.keys().get(0))));
        }
        // A lock that was acquired anew in its place has another token, and is released by now
        if (entered(request, extension) != own) {
            throw new IllegalMonitorStateException("The lock \"%s\" expired before it was renewed"
                    .formatted(Printable.of(request.keys().get(0))));
        }
    }

    /** Enters the lock once more. @return its token, or {@link #NONE} if another owner has it */
    private long entered(LockRequest request, Consumer<HeldLock> use) {
        Optional<HeldLock> nested = client.tryAcquire(request);
        nested.ifPresent(held -> {
            try (held) {
                use.accept(held);
            }
        });
        return nested.map(HeldLock::fencingToken).orElse(NONE);
    }
}
