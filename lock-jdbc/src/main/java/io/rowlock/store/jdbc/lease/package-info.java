/** The strategies whose locks are rows with an expiry, lease and unique-key, and the queue of their waiters, kept by named locks of the server. */
@NullMarked
package io.rowlock.store.jdbc.lease;

import org.jspecify.annotations.NullMarked;
