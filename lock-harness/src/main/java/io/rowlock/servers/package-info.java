/** Redis servers that replicate each other, as tests of fail-over need them. */
@NullMarked
package io.rowlock.servers;

import org.jspecify.annotations.NullMarked;
