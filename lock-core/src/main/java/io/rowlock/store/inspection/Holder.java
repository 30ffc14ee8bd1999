package io.rowlock.store.inspection;

import java.time.Duration;

/**
 * The holder that keeps a key from being acquired.
 *
 * @param owner the owner as the table shows it
 * @param remaining how long the lease still lasts by the database's clock if it is not renewed
 */
public record Holder(String owner, Duration remaining) {}
