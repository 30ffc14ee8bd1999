/** A lease from its grant to its end: its state, its renewal and its release. */
@NullMarked
package io.rowlock.client.lease;

import org.jspecify.annotations.NullMarked;
