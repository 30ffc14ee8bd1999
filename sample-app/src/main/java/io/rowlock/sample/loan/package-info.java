/** A debt: transfers exclude repayments, which run side by side. */
@NullMarked
package io.rowlock.sample.loan;

import org.jspecify.annotations.NullMarked;
