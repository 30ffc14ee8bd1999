/** The lines of this program that the page shows. */
@NullMarked
package io.rowlock.sample.source;

import org.jspecify.annotations.NullMarked;
