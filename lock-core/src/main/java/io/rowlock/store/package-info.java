/** Everything that the client asks of a strategy, of whatever it is made: no SQL and no framework here. */
@NullMarked
package io.rowlock.store;

import org.jspecify.annotations.NullMarked;
