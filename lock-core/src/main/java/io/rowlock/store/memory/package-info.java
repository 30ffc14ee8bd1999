/** A store in memory, the reference for stores on databases: no statement, no file, no framework. */
@NullMarked
package io.rowlock.store.memory;

import org.jspecify.annotations.NullMarked;
