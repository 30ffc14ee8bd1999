/** The servers everything is measured on, and what they say about themselves. */
@NullMarked
package io.rowlock.benchmark.server;

import org.jspecify.annotations.NullMarked;
