/** What can be watched: locks as they are wanted, taken and lost, and the SQL that ran. */
@NullMarked
package io.rowlock.sample.watch;

import org.jspecify.annotations.NullMarked;
