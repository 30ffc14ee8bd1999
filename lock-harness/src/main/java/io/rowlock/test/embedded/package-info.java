/** Ports, temporary directories and quiet loggers for servers that run as child processes, and a MariaDB that does. */
@NullMarked
package io.rowlock.test.embedded;

import org.jspecify.annotations.NullMarked;
