/** What the client asks of a strategy, whatever it is made of: no SQL and no framework here. */
@NullMarked
package io.rowlock.store;

import org.jspecify.annotations.NullMarked;
