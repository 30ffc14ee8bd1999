/** Locks for methods that a proxy cannot guard, by weaving. */
@NullMarked
package io.rowlock.aspects;

import org.jspecify.annotations.NullMarked;
