package io.rowlock.shedlock;

import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks jobs with {@code @SchedulerLock} by a {@link LockClient}. The name of the job is the lock key, so {@code @DistributedLock} and
 * {@code @OncePerCluster} of the same name exclude the job, too.
 *
 * <p>{@code lockAtMostFor} is the ttl: how long the lock of a dead node lasts. The lock of a living node is renewed, unless
 * {@link #withRenewal} or {@code rowlock.renewal.enabled} says otherwise. Less than a second is rounded up to a second, which is logged.
 * {@code lockAtLeastFor} counts from the grant. The server's clock decides about both.
 *
 * <p>If the store cannot be asked, {@link #lock} throws {@link io.rowlock.LockStoreException}: an outage is never taken for a lock that
 * another node holds. What the calling thread holds already is not free. In an open transaction the lock is held until that has completed.
 *
 * <p>Immutable and thread-safe.
 */
public final class RowlockLockProvider implements ExtensibleLockProvider {
    private static final Logger log = LoggerFactory.getLogger(RowlockLockProvider.class);

    /** The shortest ttl that all strategies take. */
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /** Locks of this kind are counted together, as names may be expressions. */
    private static final String NAME = "shedlock";

    private final LockClient client;
    private final @Nullable String strategy;
    private final @Nullable Boolean renewal;
    private final AtomicBoolean roundedUp = new AtomicBoolean();

    /**
     * Makes a provider with the client's strategy and renewal.
     *
     * @param client acquires the locks
     */
    public RowlockLockProvider(LockClient client) {
        this(client, null, null);
    }

    private RowlockLockProvider(LockClient client, @Nullable String strategy, @Nullable Boolean renewal) {
        this.client = Objects.requireNonNull(client, "client");
        this.strategy = strategy;
        this.renewal = renewal;
    }

    /**
     * Makes a provider with another strategy.
     *
     * @param other the name of a strategy, as {@code rowlock.strategy} takes it
     * @return a copy with it
     * @throws IllegalArgumentException if it is {@code transaction}, whose locks end with a transaction and never before
     */
    public RowlockLockProvider withStrategy(String other) {
        if (other.equals("transaction")) {
            throw new IllegalArgumentException(
                    "Strategy \"transaction\" is not for ShedLock: its locks need an open transaction,"
                            + " and unlock() cannot end them; choose another one");
        }
        return new RowlockLockProvider(client, other, renewal);
    }

    /**
     * Makes a provider whose locks are renewed or not.
     *
     * @param other whether locks are renewed while they are held; if not, each ends {@code lockAtMostFor} after its grant, though its
     *     job is still running
     * @return a copy with it
     */
    public RowlockLockProvider withRenewal(boolean other) {
        return new RowlockLockProvider(client, strategy, other);
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        // Not tryAcquire, which would grant a job twice to one thread
        return client.tryAcquireAny(List.of(request(configuration)))
                .map(held -> new RenewedLock(this, configuration, held));
    }

    LockRequest request(LockConfiguration configuration) {
        LockRequest request = LockRequest.exclusive(configuration.getName())
                .withName(NAME)
                .withTtl(ttl(configuration))
                .withHoldAtLeast(configuration.getLockAtLeastFor());
        request = strategy == null ? request : request.withStrategy(strategy);
        return renewal == null ? request : request.withRenewal(renewal);
    }

    Duration ttl(LockConfiguration configuration) {
        Duration asked = configuration.getLockAtMostFor();
        if (asked.compareTo(SHORTEST) >= 0) {
            return asked;
        }
        if (roundedUp.compareAndSet(false, true)) {
            log.warn(
                    "lockAtMostFor of {} is {}, which is rounded up to {}; so are others below, without another warning",
                    Printable.of(configuration.getName()),
                    asked,
                    SHORTEST);
        }
        return SHORTEST;
    }
}
