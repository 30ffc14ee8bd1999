/** The fence of strategies that keep their locks outside of the database. */
@NullMarked
package io.rowlock.store.jdbc.fence;

import org.jspecify.annotations.NullMarked;
