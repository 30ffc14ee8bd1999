/** What a web client gets when a request needs a lock that is busy. */
@NullMarked
package io.rowlock.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
