/** The connections to Redis, derived from those of the application, and why there may be none. */
@NullMarked
package io.rowlock.autoconfigure.redis;

import org.jspecify.annotations.NullMarked;
