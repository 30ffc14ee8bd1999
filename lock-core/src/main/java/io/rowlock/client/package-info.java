/** The lock client. Start with the description of {@link io.rowlock.client.lock}: what a held lock is, who ends it, who is notified. */
@NullMarked
package io.rowlock.client;

import org.jspecify.annotations.NullMarked;
