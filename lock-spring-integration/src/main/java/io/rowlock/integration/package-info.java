/** The locks of Rowlock for Spring Integration. */
@NullMarked
package io.rowlock.integration;

import org.jspecify.annotations.NullMarked;
