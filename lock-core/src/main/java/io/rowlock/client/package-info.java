/** The lock client: who waits for which key in this process, what it holds, and how that is kept alive. */
@NullMarked
package io.rowlock.client;

import org.jspecify.annotations.NullMarked;
