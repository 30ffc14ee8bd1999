/** The types of a program that uses Rowlock: the client, its requests, locks, events and exceptions. */
@NullMarked
package io.rowlock;

import org.jspecify.annotations.NullMarked;
