/** Shows locks and nodes to an operator, and releases locks by force. */
@NullMarked
package io.rowlock.client.admin;

import org.jspecify.annotations.NullMarked;
