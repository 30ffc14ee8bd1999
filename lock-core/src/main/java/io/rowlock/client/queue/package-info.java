/** How threads wait: the queue of a key inside this process, and the attempts of its head on the store. */
@NullMarked
package io.rowlock.client.queue;

import org.jspecify.annotations.NullMarked;
