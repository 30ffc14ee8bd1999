/** A MariaDB that runs as a child process, in a temporary directory that goes with the JVM. */
@NullMarked
package io.rowlock.test.embedded;

import org.jspecify.annotations.NullMarked;
