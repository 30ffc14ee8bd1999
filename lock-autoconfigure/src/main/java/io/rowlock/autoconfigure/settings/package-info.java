/** Values of {@code rowlock.*} as they were written: their limits, switches, and names that nobody reads. */
@NullMarked
package io.rowlock.autoconfigure.settings;

import org.jspecify.annotations.NullMarked;
