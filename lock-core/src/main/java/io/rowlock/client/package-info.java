/** The lock client. Start with the description of {@link io.rowlock.client.lock}: what a held lock is, who ends it, who is told. */
@NullMarked
package io.rowlock.client;

import org.jspecify.annotations.NullMarked;
