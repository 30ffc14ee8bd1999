/** A small business whose locks can be watched at work. */
@NullMarked
package io.rowlock.sample;

import org.jspecify.annotations.NullMarked;
