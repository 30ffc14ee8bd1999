/** Reports that are rendered on all nodes: a semaphore admits some of them at a time. */
@NullMarked
package io.rowlock.sample.report;

import org.jspecify.annotations.NullMarked;
