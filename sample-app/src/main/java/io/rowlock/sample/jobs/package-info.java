/** Jobs: one node leads and hands them out, and one runs the job of the night. */
@NullMarked
package io.rowlock.sample.jobs;

import org.jspecify.annotations.NullMarked;
