/** Answers web requests that fail because of a lock. */
@NullMarked
package io.rowlock.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
