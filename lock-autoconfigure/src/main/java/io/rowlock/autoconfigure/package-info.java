/** The client and the annotations of locks in an application, with all properties. Features stand on this package, not on one another. */
@NullMarked
package io.rowlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
