/** What happens before the sample is up, and what is said if it does not come up. */
@NullMarked
package io.rowlock.sample.start;

import org.jspecify.annotations.NullMarked;
