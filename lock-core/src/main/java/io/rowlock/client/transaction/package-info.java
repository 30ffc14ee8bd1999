/** Locks that are part of the caller's transaction: strategy {@code transaction}. */
@NullMarked
package io.rowlock.client.transaction;

import org.jspecify.annotations.NullMarked;
