/** Measures Rowlock beside its peers and bare statements, in the same run. */
@NullMarked
package io.rowlock.benchmark;

import org.jspecify.annotations.NullMarked;
