/** Processes that take locks for a workload, and what they report. */
@NullMarked
package io.rowlock.benchmark.process;

import org.jspecify.annotations.NullMarked;
