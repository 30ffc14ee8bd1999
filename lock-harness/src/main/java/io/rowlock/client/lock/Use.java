package io.rowlock.client.lock;

/**
 * The use a process makes of its locks: all zero when no thread has a lock or is on its way to one.
 *
 * @param leases how many leases are kept alive
 * @param queues how many keys are in use
 * @param threads how many threads have a lock or rely on one
 * @param interruptible how many threads would be interrupted if they lost a lock
 * @param pendingReleases how many leases are to be ended of which no answer came
 */
public record Use(int leases, int queues, int threads, int interruptible, int pendingReleases) {
    public static Use of(ProcessLocks locks) {
        return new Use(
                locks.renewer.leases.size(),
                locks.queues.queues.size(),
                (int) locks.threadLocks.threads().count(),
                locks.interrupts.threads.size(),
                locks.pending.size());
    }
}
