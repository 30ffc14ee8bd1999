/** Meters and observations of locks, by Micrometer. */
@NullMarked
package io.rowlock.micrometer;

import org.jspecify.annotations.NullMarked;
