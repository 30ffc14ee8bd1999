/** Commit fences for the application's transaction managers. */
@NullMarked
package io.rowlock.autoconfigure.transaction;

import org.jspecify.annotations.NullMarked;
