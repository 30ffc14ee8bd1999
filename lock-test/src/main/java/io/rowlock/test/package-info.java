/** A real MySQL or MariaDB server for tests, with a fresh schema for each test class. */
@NullMarked
package io.rowlock.test;

import org.jspecify.annotations.NullMarked;
