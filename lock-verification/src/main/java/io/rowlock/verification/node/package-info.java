/** A process that works with locks and writes what it does and learns to a file. */
@NullMarked
package io.rowlock.verification.node;

import org.jspecify.annotations.NullMarked;
