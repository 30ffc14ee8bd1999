/** Servers, the network before them, and what happens to both and to the nodes. */
@NullMarked
package io.rowlock.verification.fault;

import org.jspecify.annotations.NullMarked;
