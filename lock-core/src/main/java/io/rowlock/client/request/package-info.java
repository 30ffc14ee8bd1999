/** Requests with their defaults filled in, and the settings these come from. */
@NullMarked
package io.rowlock.client.request;

import org.jspecify.annotations.NullMarked;
