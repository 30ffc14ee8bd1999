/** The connections of locks: the pools derived from the application's DataSource, the servers they lead to, and the strategies on them. */
@NullMarked
package io.rowlock.autoconfigure.database;

import org.jspecify.annotations.NullMarked;
