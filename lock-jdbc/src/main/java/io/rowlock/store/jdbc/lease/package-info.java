/** The strategies whose locks are rows with an expiry: lease and unique-key. */
@NullMarked
package io.rowlock.store.jdbc.lease;

import org.jspecify.annotations.NullMarked;
