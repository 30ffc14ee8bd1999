/** Removes rows that are no longer needed. */
@NullMarked
package io.rowlock.store.jdbc.cleanup;

import org.jspecify.annotations.NullMarked;
