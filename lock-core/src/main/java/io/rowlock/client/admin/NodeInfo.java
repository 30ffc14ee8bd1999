package io.rowlock.client.admin;

import java.time.Duration;

/**
 * The state of this process and its locks.
 *
 * @param owner how it is shown in the tables
 * @param strategy the strategy of locks that name none
 * @param held how many leases it has
 * @param atRisk how many of them will be lost unless they are renewed soon
 * @param waiting how many of its threads wait for a lock
 * @param renewalLag how late the latest renewal is; zero if all are in time
 */
public record NodeInfo(String owner, String strategy, int held, int atRisk, int waiting, Duration renewalLag) {}
