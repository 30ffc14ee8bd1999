/** Runs nodes under faults, and judges the histories that they write. */
@NullMarked
package io.rowlock.verification;

import org.jspecify.annotations.NullMarked;
