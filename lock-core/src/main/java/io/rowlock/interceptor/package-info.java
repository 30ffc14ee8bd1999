/** Runs annotated methods under their locks: the advisor, the keys, and what a busy or asynchronous call returns. */
@NullMarked
package io.rowlock.interceptor;

import org.jspecify.annotations.NullMarked;
