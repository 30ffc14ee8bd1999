/** The strategies that keep locks in the database, with their log, their clean-up and the check when the application starts. */
@NullMarked
package io.rowlock.autoconfigure.store;

import org.jspecify.annotations.NullMarked;
