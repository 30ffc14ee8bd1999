package io.rowlock.client.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of the locks that are held.
 *
 * @param locks them, in the order of their keys' bytes
 * @param next what to ask for to see those behind them, or null if there are none
 */
public record LockPage(List<LockInfo> locks, @Nullable String next) {}
