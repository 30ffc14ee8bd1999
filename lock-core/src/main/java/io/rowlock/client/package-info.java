/** The lock client. {@link io.rowlock.client.RowlockClient} describes the protocol; start reading there. */
@NullMarked
package io.rowlock.client;

import org.jspecify.annotations.NullMarked;
