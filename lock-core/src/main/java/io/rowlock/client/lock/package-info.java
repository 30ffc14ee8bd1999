/** Locks of this process: the threads that wait for them and hold them, and the leases they share. */
@NullMarked
package io.rowlock.client.lock;

import org.jspecify.annotations.NullMarked;
