/** The nodes: processes of their own that the page starts, asks, pauses and kills. */
@NullMarked
package io.rowlock.sample.node;

import org.jspecify.annotations.NullMarked;
