/** From measured figures to medians, ratios, targets, JSON, a page and a chart. */
@NullMarked
package io.rowlock.benchmark.report;

import org.jspecify.annotations.NullMarked;
