/** Auto-configuration of the meters and observations of locks. */
@NullMarked
package io.rowlock.autoconfigure.micrometer;

import org.jspecify.annotations.NullMarked;
