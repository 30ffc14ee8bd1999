/** Leader election on top of the client: one node of many leads, and knows by its own clock when it no longer does. */
@NullMarked
package io.rowlock.leader;

import org.jspecify.annotations.NullMarked;
