/** All that is not business: starts nodes, sends visitors to them, watches what they do and draws it. */
@NullMarked
package io.rowlock.sample.stage;

import org.jspecify.annotations.NullMarked;
