/** A race for one lock, by each strategy. */
@NullMarked
package io.rowlock.sample.race;

import org.jspecify.annotations.NullMarked;
