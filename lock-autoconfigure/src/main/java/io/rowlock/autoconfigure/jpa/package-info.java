/** The check of entities that a persistence context had before the lock. */
@NullMarked
package io.rowlock.autoconfigure.jpa;

import org.jspecify.annotations.NullMarked;
