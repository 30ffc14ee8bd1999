/** Wires Rowlock into a Spring Boot application: properties, the lock pool, the tables, the client and its fences. */
@NullMarked
package io.rowlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
