/** What is measured: Rowlock, its peers and bare statements, all behind one small interface. */
@NullMarked
package io.rowlock.benchmark.contender;

import org.jspecify.annotations.NullMarked;
