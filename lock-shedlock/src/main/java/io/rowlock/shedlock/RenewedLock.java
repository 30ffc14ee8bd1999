package io.rowlock.shedlock;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.OnLost;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** A lock of a job. Extending it makes another one, on the same grant. */
final class RenewedLock extends AbstractSimpleLock {
    private final RowlockLockProvider provider;
    private final HeldLock held;

    RenewedLock(RowlockLockProvider provider, LockConfiguration configuration, HeldLock held) {
        super(configuration);
        this.provider = provider;
        this.held = held;
    }

    /** A failure would hide what the job has thrown. */
    @Override
    protected void doUnlock() {
        OnLost.NOTIFY.afterReturn(held);
    }

    /** A lock that is lost is closed: ShedLock uses none that could not be extended. */
    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration longer) {
        boolean keeps = !longer.getLockAtLeastFor().isZero();
        if (keeps && held.isHeld() && !provider.client().isHeldByCurrentThread(held.key())) {
            throw new UnsupportedOperationException(
                    "The lock \"%s\" is extended with a lockAtLeastFor on another thread than the one that locked it"
                            .formatted(held.key()));
        }
        try {
            held.extend(provider.ttl(longer));
            if (keeps) {
                keep(longer);
            }
        } catch (LockLostException e) {
            held.close();
            return Optional.empty();
        }
        return Optional.of(new RenewedLock(provider, longer, held));
    }

    /** A minimum counts from a grant: a nested one takes the lease as it is, and asks no store. */
    private void keep(LockConfiguration longer) {
        provider.client().tryAcquire(provider.request(longer)).ifPresent(HeldLock::close);
        held.ensureHeld(Duration.ZERO);
    }
}
