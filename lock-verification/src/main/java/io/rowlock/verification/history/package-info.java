/** The events of all threads of all nodes, and the judges whose only input they are. */
@NullMarked
package io.rowlock.verification.history;

import org.jspecify.annotations.NullMarked;
