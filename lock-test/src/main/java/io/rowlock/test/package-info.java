/** Locks of an application's tests: kept in memory, controlled and recorded. */
@NullMarked
package io.rowlock.test;

import org.jspecify.annotations.NullMarked;
