/** Work that is shared among nodes and threads, and when it was going on. */
@NullMarked
package io.rowlock.sample.work;

import org.jspecify.annotations.NullMarked;
