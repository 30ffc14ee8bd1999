/** The check of the lock tables' server when the application starts, and the clean-up of the tables. */
@NullMarked
package io.rowlock.autoconfigure.store;

import org.jspecify.annotations.NullMarked;
