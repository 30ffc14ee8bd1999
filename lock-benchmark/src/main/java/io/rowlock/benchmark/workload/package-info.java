/** What each contender has to do, and how that is measured. */
@NullMarked
package io.rowlock.benchmark.workload;

import org.jspecify.annotations.NullMarked;
