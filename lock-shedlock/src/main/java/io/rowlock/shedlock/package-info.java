/** The locks of Rowlock for jobs that ShedLock schedules. */
@NullMarked
package io.rowlock.shedlock;

import org.jspecify.annotations.NullMarked;
