/** What an operator can see of the locks in a store, whichever process holds them. */
@NullMarked
package io.rowlock.store.inspection;

import org.jspecify.annotations.NullMarked;
