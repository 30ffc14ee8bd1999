/** What the threads of all nodes did and learned, and the judges whose only input that is. */
@NullMarked
package io.rowlock.verification.history;

import org.jspecify.annotations.NullMarked;
