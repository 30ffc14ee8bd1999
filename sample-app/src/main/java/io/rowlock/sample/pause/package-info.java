/** A holder that stands still past its ttl, and the commit that is refused. */
@NullMarked
package io.rowlock.sample.pause;

import org.jspecify.annotations.NullMarked;
