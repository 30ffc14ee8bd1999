/** Partitions: each node takes its share of them. */
@NullMarked
package io.rowlock.sample.partitions;

import org.jspecify.annotations.NullMarked;
