/** Redis servers that replicate each other, and the network before a server. */
@NullMarked
package io.rowlock.servers;

import org.jspecify.annotations.NullMarked;
