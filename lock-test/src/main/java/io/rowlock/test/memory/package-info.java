/** Application contexts of tests whose locks are kept in memory. */
@NullMarked
package io.rowlock.test.memory;

import org.jspecify.annotations.NullMarked;
