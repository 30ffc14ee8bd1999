/** The lock annotations. */
@NullMarked
package io.rowlock.annotation;

import org.jspecify.annotations.NullMarked;
