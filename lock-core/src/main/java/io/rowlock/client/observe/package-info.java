/** Events, listeners and instrumentation of locks. */
@NullMarked
package io.rowlock.client.observe;

import org.jspecify.annotations.NullMarked;
