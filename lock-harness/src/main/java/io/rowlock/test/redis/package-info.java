/** A real Redis server for tests. */
@NullMarked
package io.rowlock.test.redis;

import org.jspecify.annotations.NullMarked;
