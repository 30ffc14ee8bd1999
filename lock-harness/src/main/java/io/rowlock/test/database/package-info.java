/** A real MySQL or MariaDB server for tests, how it is found or started, and schemas on it. */
@NullMarked
package io.rowlock.test.database;

import org.jspecify.annotations.NullMarked;
