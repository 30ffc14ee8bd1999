/** Takes locks of strategy {@code transaction} as the first thing that a method's transaction does. */
@NullMarked
package io.rowlock.interceptor.transaction;

import org.jspecify.annotations.NullMarked;
