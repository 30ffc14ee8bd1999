/** The lock annotations, and their parser that turns one annotated method into a {@code LockOperation}. */
@NullMarked
package io.rowlock.annotation;

import org.jspecify.annotations.NullMarked;
