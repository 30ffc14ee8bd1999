/** The connections of locks: the pools derived from the application's DataSource, and the servers they lead to. */
@NullMarked
package io.rowlock.autoconfigure.database;

import org.jspecify.annotations.NullMarked;
