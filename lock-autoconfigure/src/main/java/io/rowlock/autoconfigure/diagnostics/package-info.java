/** Why an application cannot start with Rowlock, and what to do about it. */
@NullMarked
package io.rowlock.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
