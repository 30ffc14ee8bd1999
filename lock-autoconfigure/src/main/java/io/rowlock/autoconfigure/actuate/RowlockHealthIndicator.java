package io.rowlock.autoconfigure.actuate;

import io.rowlock.client.admin.LockAdmin;
import io.rowlock.client.lock.ProcessLocks;
import io.rowlock.store.inspection.StoreInspection;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Health {@code rowlock}: down if locks cannot be acquired, degraded if renewals are so late that locks are at risk, else up.
 * Asks the database one cheap statement, within the time-outs of the lock pool.
 */
final class RowlockHealthIndicator extends AbstractHealthIndicator {
    /** Unknown to Spring Boot, which answers it with 200 and leaves it out of the status of the whole. */
    static final Status DEGRADED = new Status("DEGRADED", "Renewals are late: locks are at risk");

    private final LockAdmin locks;

    RowlockHealthIndicator(LockAdmin locks) {
        super("Locks cannot be acquired");
        this.locks = locks;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        ProcessLocks.Node node = locks.node();
        builder.withDetail("strategy", node.strategy())
                .withDetail("held", node.held())
                .withDetail("atRisk", node.atRisk());
        locks.usual().ifPresent(StoreInspection::requireUsable);
        builder.status(node.atRisk() > 0 ? DEGRADED : Status.UP);
    }
}
