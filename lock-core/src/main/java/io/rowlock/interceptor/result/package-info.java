/** What becomes of a guarded method's result: a lock is kept until a future or a publisher has ended, and a busy key is answered. */
@NullMarked
package io.rowlock.interceptor.result;

import org.jspecify.annotations.NullMarked;
