/** Leader elections as beans, which begin and end with the application. */
@NullMarked
package io.rowlock.autoconfigure.leader;

import org.jspecify.annotations.NullMarked;
