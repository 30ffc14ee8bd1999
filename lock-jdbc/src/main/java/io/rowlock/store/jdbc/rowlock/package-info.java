/** The strategy row-lock: locks that are row locks of an open transaction. */
@NullMarked
package io.rowlock.store.jdbc.rowlock;

import org.jspecify.annotations.NullMarked;
