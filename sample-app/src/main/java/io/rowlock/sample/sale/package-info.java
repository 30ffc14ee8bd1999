/** A flash sale: a stock that is not oversold. */
@NullMarked
package io.rowlock.sample.sale;

import org.jspecify.annotations.NullMarked;
