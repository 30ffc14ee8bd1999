/** The locks in a store as an operator sees them, whichever process holds them. */
@NullMarked
package io.rowlock.store.inspection;

import org.jspecify.annotations.NullMarked;
