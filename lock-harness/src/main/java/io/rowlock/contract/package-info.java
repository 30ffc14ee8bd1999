/** The contract of a store of locks, as each strategy's tests extend it. */
@NullMarked
package io.rowlock.contract;

import org.jspecify.annotations.NullMarked;
