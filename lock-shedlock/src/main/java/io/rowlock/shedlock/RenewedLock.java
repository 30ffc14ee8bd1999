package io.rowlock.shedlock;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.OnLost;
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
        try {
            held.extend(provider.ttl(longer));
            held.holdAtLeast(longer.getLockAtLeastFor());
        } catch (LockLostException e) {
            held.close();
            return Optional.empty();
        }
        return Optional.of(new RenewedLock(provider, longer, held));
    }
}
