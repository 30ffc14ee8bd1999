/** The actuator endpoint with its answers, and the health indicator. */
@NullMarked
package io.rowlock.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
