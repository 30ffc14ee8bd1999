/** What an operator sees of locks and nodes, and the forced release. */
@NullMarked
package io.rowlock.client.admin;

import org.jspecify.annotations.NullMarked;
