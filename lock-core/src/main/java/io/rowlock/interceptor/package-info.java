/** Runs annotated methods under their locks: advice, keys, results that end later, locks of transactions, checks at start-up. */
@NullMarked
package io.rowlock.interceptor;

import org.jspecify.annotations.NullMarked;
