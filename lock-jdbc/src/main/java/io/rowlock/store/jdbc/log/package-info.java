/** The log of grants: written asynchronously or in the acquiring transaction, and queried. */
@NullMarked
package io.rowlock.store.jdbc.log;

import org.jspecify.annotations.NullMarked;
