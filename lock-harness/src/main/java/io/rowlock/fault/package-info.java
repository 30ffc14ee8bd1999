/** Scenarios in which each request of a program meets each fault, whatever the store. */
@NullMarked
package io.rowlock.fault;

import org.jspecify.annotations.NullMarked;
