/** The client in an application: its generated owner, the check at start-up, its shutdown, its events. */
@NullMarked
package io.rowlock.autoconfigure.client;

import org.jspecify.annotations.NullMarked;
