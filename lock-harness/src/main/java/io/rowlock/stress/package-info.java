/** Threads that fight for locks, and the oracle that judges what they believe. */
@NullMarked
package io.rowlock.stress;

import org.jspecify.annotations.NullMarked;
