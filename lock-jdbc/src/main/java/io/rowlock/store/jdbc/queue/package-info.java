/** The queue of waiters across processes, kept by named locks of the server. */
@NullMarked
package io.rowlock.store.jdbc.queue;

import org.jspecify.annotations.NullMarked;
