/** Events, listeners and instrumentation of locks. */
@NullMarked
package io.rowlock.client.event;

import org.jspecify.annotations.NullMarked;
